import Contracts
import Ledger
import OrchardHTTPTypes

/// Issues and verifies order tickets.
struct TicketIssuer: Sendable {
    /// The current keys. They change while the service runs.
    let keys: @Sendable () -> TicketKeys
    /// How long a ticket can be charged, at most ``OrderTicket/maximumLife``.
    let lifetime: Duration
    let now: @Sendable () -> Timestamp

    /// A ticket as the device gets it.
    struct Issued: Sendable {
        let ticket: String
        let expiresAt: Timestamp
    }

    /// A fresh ticket for an offer.
    ///
    /// - Throws: `Problem` when the order has expired.
    func issue(_ offer: Offer, of order: OfferedOrder, merchant: Merchant) throws -> Issued {
        let ticket = offer.ticket(
            order: order.id, merchant: merchant, partitions: order.partitions, at: now(), lifetime: lifetime)
        guard let ticket else { throw Problem.orderExpired(order.id) }
        return Issued(ticket: try keys().signer.sign(ticket), expiresAt: ticket.expiresAt)
    }

    func verify(_ compact: String, for use: TicketVerifier.Use) throws(TicketError) -> OrderTicket {
        try keys().verifier.verify(compact, for: use, at: now())
    }
}
