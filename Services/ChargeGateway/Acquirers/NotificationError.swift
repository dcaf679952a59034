/// Why a message that claims to come from an acquirer is not believed. Nothing of its content is told.
public struct NotificationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: String, Sendable, CaseIterable {
        /// Not in the acquirer's form.
        case malformed
        /// The certificate does not lead to the configured root.
        case untrustedCertificate
        /// The certificate is not valid now.
        case expiredCertificate
        /// The certificate leads to the root, but is somebody else's.
        case foreignCertificate
        /// The signature is wrong.
        case signature
        /// It is about an account that is none of our merchants'.
        case account
        /// It is about something that was not asked, or a kind of transaction that is not ours.
        case subject
    }

    /// Whether the acquirer's certificates and ours do not fit each other: that does not pass by itself.
    var isMisconfiguration: Bool {
        switch code {
        case .untrustedCertificate, .expiredCertificate, .foreignCertificate: true
        case .malformed, .signature, .account, .subject: false
        }
    }

    public let code: Code
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { "\(code.rawValue): \(reason)" }
}
