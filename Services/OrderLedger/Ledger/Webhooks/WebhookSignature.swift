import Contracts
import OrchardCrypto
import OrchardJSON

/// The signature of a message (Standard Webhooks 1.0, symmetric): HMAC-SHA256 over `id.timestamp.body`.
public struct WebhookSignature: Hashable, Sendable {
    public let id: String
    /// Of this send, so that a receiver can refuse an old copy.
    public let time: Timestamp
    public let body: [UInt8]

    public init(id: String, time: Timestamp, body: [UInt8]) {
        self.id = id
        self.time = time
        self.body = body
    }

    /// `webhook-timestamp`: seconds since 1970.
    public var timestamp: String { String(time.seconds) }

    /// `webhook-signature`: one signature for each secret of a rotation, separated by blanks.
    public func header(_ keys: [HMACKey]) -> String {
        let content = Array("\(id).\(timestamp).".utf8) + body
        return keys.map { "v1," + Base64.encode($0.authenticate(content)) }.joined(separator: " ")
    }
}

extension HMACKey {
    /// What a file with a secret holds: `whsec_` and 24 to 64 bytes in base64, with or without a line's end.
    public static let webhookForm = "whsec_ and 24 to 64 bytes in base64"

    /// - Returns: nil for any other content.
    public convenience init?(webhookSecret text: borrowing SecretBytes) {
        let secret: SecretBytes? = text.withBytes { text in
            var text = text[...]
            while let last = text.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") { text.removeLast() }
            let prefix = Array("whsec_".utf8)
            guard text.starts(with: prefix) else { return nil }
            return Base64.decode(utf8: Array(text.dropFirst(prefix.count))).map { SecretBytes(taking: $0) }
        }
        guard let secret, (24...64).contains(secret.count) else { return nil }
        self.init(secret)
    }
}
