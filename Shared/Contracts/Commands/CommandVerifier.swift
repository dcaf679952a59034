import OrchardCrypto
import OrchardJOSE

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
    public func verify(_ command: SignedCommand) throws(TicketError) -> CancelRequested {
        do {
            _ = try JWS.verify(
                command.jws, type: SignedCommand.type, keys: keys, maximumSize: SignedCommand.maximumSize)
        } catch {
            switch error.code {
            case .unknownKey:
                throw TicketError(.unknownKey, "the command's key is not in the ticket key set; check the JWKS file")
            case .authentication: throw TicketError(.signature, "the command's signature is wrong")
            default: throw TicketError(.malformed, "this is no command that order-ledger signed")
            }
        }
        return command.claims
    }
}
