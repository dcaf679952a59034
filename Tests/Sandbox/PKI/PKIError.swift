/// Why an operation of the sandbox's certificate authority failed.
public struct PKIError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong, open for new codes.
    public struct Code: Hashable, Sendable, ExpressibleByStringLiteral {
        public let name: String
        public init(stringLiteral name: String) { self.name = name }

        /// OpenSSL refused an operation.
        public static let operation: Code = "operation"
        /// A PEM block or DER structure cannot be read.
        public static let malformed: Code = "malformed"
        /// A folder that `acquirer init` did not write.
        public static let badDirectory: Code = "badDirectory"
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}

/// Turns OpenSSL's "1 is success" into a thrown error that names the operation.
func require(_ result: Int32, _ operation: String) throws(PKIError) {
    guard result == 1 else { throw PKIError(.operation, "OpenSSL failed in \(operation)") }
}

/// The pointer, or an error that names the operation that gave none.
func require<Pointer>(_ pointer: Pointer?, _ operation: String) throws(PKIError) -> Pointer {
    guard let pointer else { throw PKIError(.operation, "OpenSSL failed in \(operation)") }
    return pointer
}
