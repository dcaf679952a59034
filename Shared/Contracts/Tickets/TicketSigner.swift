import OrchardCrypto
import OrchardJOSE

/// Issues order tickets: a compact JWS with ES256 (RFC 7515).
public struct TicketSigner: Sendable {
    /// The `typ` of the JWS header.
    public static let type = "orchard-ticket+jwt"

    /// The `kid` of the key.
    public let keyID: String
    private let key: P256PrivateKey

    /// - Parameters:
    ///   - keyID: the `kid` under which the other services find the public key in their JWKS file.
    ///   - key: order-ledger's signing key.
    public init(keyID: String, key: P256PrivateKey) {
        self.keyID = keyID
        self.key = key
    }

    /// Signs commands with the same key.
    public var commands: CommandSigner { CommandSigner(keyID: keyID, key: key) }

    /// The ticket in its compact form.
    public func sign(_ ticket: OrderTicket) throws -> String {
        try JWS.sign(payload: ticket.json, type: Self.type, keyID: keyID, with: key)
    }
}
