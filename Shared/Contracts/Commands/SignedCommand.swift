import OrchardCrypto
import OrchardJOSE
import OrchardJSON

/// A command of order-ledger as it travels: a compact JWS (ES256), so that no other program can make one.
///
/// Its value on the topic is `{"jws": "…"}`.
public struct SignedCommand: Hashable, Sendable {
    /// The `typ` of the JWS header: a ticket is never accepted as a command, nor a command as a ticket.
    public static let type = "orchard-command+jwt"
    /// The largest signed command, in bytes.
    static let maximumSize = 2_048

    public let jws: String
    /// Its claims. Trust them only after ``CommandVerifier``.
    public let claims: CommandClaims

    init(jws: String, claims: CommandClaims) {
        self.jws = jws
        self.claims = claims
    }
}

extension SignedCommand: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var jws: String?
        try reader.object { reader, name throws(JSONError) in
            if name == "jws" { jws = try reader.compactForm() } else { try reader.skip() }
        }
        let text = try reader.required(jws, "jws")
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumSize, parts.count == 3, let claims = Base64.decodeURL(String(parts[1]))
        else { throw reader.error(.value, "a compact JWS of at most \(Self.maximumSize) bytes is expected") }
        self.init(jws: text, claims: try CommandClaims(parsing: claims))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("jws", jws)
    }
}

/// Signs commands to the gateway, with the key that signs order-ledger's tickets.
public struct CommandSigner: Sendable {
    private let keyID: String
    private let key: P256PrivateKey

    /// - Parameters:
    ///   - keyID: the `kid` under which the gateway finds the public key in its JWKS file of ticket keys.
    ///   - key: order-ledger's signing key.
    public init(keyID: String, key: P256PrivateKey) {
        self.keyID = keyID
        self.key = key
    }

    /// Signs a command for the gateway.
    public func sign(_ command: CommandClaims) throws(CryptoError) -> SignedCommand {
        SignedCommand(
            jws: try JWS.sign(payload: command.json, type: SignedCommand.type, keyID: keyID, with: key),
            claims: command)
    }
}

/// Verifies commands that claim to be order-ledger's.
public struct CommandVerifier: Sendable {
    private let keys: [String: P256PublicKey]

    /// - Parameter keys: order-ledger's public keys by `kid`.
    public init(keys: [String: P256PublicKey]) {
        self.keys = keys
    }

    /// The command, if order-ledger signed it.
    ///
    /// - Throws: ``TicketError`` `.unknownKey`, `.signature` or `.malformed`.
    public func verify(_ command: SignedCommand) throws(TicketError) -> CommandClaims {
        do {
            _ = try JWS.verify(
                command.jws, type: SignedCommand.type, keys: keys, maximumSize: SignedCommand.maximumSize)
        } catch {
            switch error.code {
            case .unknownKey:
                throw TicketError(.unknownKey, "the command's key is not in the ticket key set; check the JWKS file")
            case .authentication: throw TicketError(.signature, "the command's signature is wrong")
            default: throw TicketError(.malformed, "this is not a command that order-ledger signed")
            }
        }
        return command.claims
    }
}
