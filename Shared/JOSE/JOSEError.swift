/// Why a token or a key set was refused.
///
/// The reason never quotes a token, a key or a plaintext.
public struct JOSEError: Error, Hashable, Sendable {
    /// What kind of refusal this is; open for new kinds.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String
        public init(_ name: String) { description = name }

        /// The text does not have the one form that is accepted.
        public static let malformed = Code("malformed")
        /// The text names a key that this process does not have. That is an error of ours to fix, never evidence
        /// against the sender.
        public static let unknownKey = Code("unknownKey")
        /// The signature or tag is not right for these bytes and this key.
        public static let authentication = Code("authentication")
        /// The ciphertext was made for another payment or ticket.
        public static let binding = Code("binding")
        /// A key of a set cannot be used.
        public static let key = Code("key")
    }

    public let code: Code
    /// What is wrong and what to do.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension JOSEError: CustomStringConvertible {
    public var description: String { "\(reason) (\(code))" }
}
