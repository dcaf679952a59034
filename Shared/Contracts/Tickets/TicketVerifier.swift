import OrchardCrypto
import OrchardJOSE
import OrchardJSON

/// Verifies order tickets.
public struct TicketVerifier: Sendable {
    /// What the ticket is used for.
    public enum Use: Sendable {
        /// Changing the sheet or paying: until the ticket expires.
        case charging
        /// Reading the order's status: 24 hours longer.
        case status
    }

    /// The largest ticket, in bytes.
    public static let maximumSize = 4_096
    /// How much the clocks of two services may differ.
    public static let clockSkew: Duration = .seconds(60)

    private let keys: [String: P256PublicKey]

    /// - Parameter keys: order-ledger's public keys by `kid`.
    public init(keys: [String: P256PublicKey]) {
        self.keys = keys
    }

    /// The ticket, at any age.
    ///
    /// - Throws: ``TicketError`` when it is not ours, or was issued in the future.
    public func verify(_ compact: String, at time: Timestamp) throws(TicketError) -> OrderTicket {
        let payload: [UInt8]
        do {
            payload = try JWS.verify(
                compact, type: TicketSigner.type, keys: keys, maximumSize: Self.maximumSize
            ).payload
        } catch {
            switch error.code {
            case .unknownKey:
                throw TicketError(
                    .unknownKey, "the ticket's key is not in the ticket key set, or not in use now; check the JWKS file"
                )
            case .authentication: throw TicketError(.signature, "the ticket's signature is wrong; get a new ticket")
            default: throw TicketError(.malformed, "this is not an order ticket; send the one that order-ledger issued")
            }
        }
        let ticket: OrderTicket
        do {
            ticket = try OrderTicket(parsing: payload)
        } catch {
            throw TicketError(
                .malformed,
                "the ticket's claims are not valid: \(error.path.isEmpty ? "" : "\(error.path): ")\(error.reason)")
        }
        guard ticket.issuedAt <= time + Self.clockSkew else {
            throw TicketError(.notYetValid, "the ticket is from the future; check the servers' clocks")
        }
        return ticket
    }

    /// The ticket, if it has not expired for its use.
    public func verify(_ compact: String, for use: Use, at time: Timestamp) throws(TicketError) -> OrderTicket {
        let ticket = try verify(compact, at: time)
        switch use {
        case .charging where !ticket.charges(at: time):
            throw TicketError(.expired, "the ticket has expired; exchange it at POST /v1/orders/{id}/ticket")
        case .status where !ticket.readsStatus(at: time):
            throw TicketError(
                .expired, "the ticket expired more than 24 hours ago; ask the shop's server for the status")
        default: return ticket
        }
    }
}
