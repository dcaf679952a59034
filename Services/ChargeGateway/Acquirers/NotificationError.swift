/// Why a notification is not believed. Nothing of its content is told.
public struct NotificationError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// Not in the acquirer's form.
        case malformed
        /// The certificate does not lead to the configured root, is out of date or somebody else's.
        case certificate
        /// The signature is wrong.
        case signature
        /// It is about an account that is none of our merchants'.
        case account
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
