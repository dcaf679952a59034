import COrchardOpenSSL

/// Why a cryptographic operation was not possible.
///
/// The reason may quote OpenSSL's text, but never a key, plaintext or other input.
public struct CryptoError: Error, Sendable {
    /// What kind of failure this is; open for new kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        public init(_ name: String) { description = name }

        /// A key cannot be read, or is of another kind than the operation needs.
        public static let key = Code("key")
        /// A certificate cannot be read.
        public static let certificate = Code("certificate")
        /// A key and a certificate do not belong together.
        public static let mismatch = Code("mismatch")
        /// A certificate does not lead to the pinned root.
        public static let chain = Code("chain")
        /// A ciphertext was changed, or belongs to another key; the error does not say which.
        public static let authentication = Code("authentication")
        /// An argument has a size or form that the algorithm does not support.
        public static let input = Code("input")
        /// OpenSSL failed in an operation that must not fail.
        public static let library = Code("library")
    }

    public let code: Code
    /// What is wrong and what to do.
    public let reason: String
    /// The place in the source, as `Crypto/AESGCM.swift:42`.
    public let place: String

    public init(_ code: Code, _ reason: String, file: String = #fileID, line: Int = #line) {
        self.code = code
        self.reason = reason
        place = "\(file):\(line)"
    }
}

extension CryptoError: CustomStringConvertible {
    public var description: String { "\(reason) (\(code), \(place))" }
}

extension CryptoError {
    /// An error with OpenSSL's own reason; empties the thread's error queue.
    static func openSSL(_ code: Code, _ reason: String, file: String = #fileID, line: Int = #line) -> CryptoError {
        var reason = reason
        // The reason is a static string of the library. The data beside it could quote input and is left out.
        if let words = ERR_reason_error_string(ERR_peek_last_error()) { reason += ": " + String(cString: words) }
        ERR_clear_error()
        return CryptoError(code, reason, file: file, line: line)
    }
}
