import Charging
import Contracts
import JOSE
import KafkaBridge
import KeyFiles

extension CommandDesk {
    /// What a command asks, once its ticket is verified: amount, currency, merchant and expiry come from there alone.
    func judge(
        _ command: IncomingCommand, in partition: Int32, at time: Timestamp
    ) throws(CommandRefusal) -> Judgement {
        switch command.reading {
        case .unreadable(let reason): throw .deadLetter(reason)
        case .cancel(let cancel): return .cancel(cancel)
        case .charge(let charge):
            let ticket = try verify(charge.ticket, for: charge.order, command, partition, time)
            let route = merchants[ticket.merchant]?.route(
                currency: ticket.amount.currency, paymentData: charge.card.paymentData)
            return .charge(
                Charge(
                    ticket: ticket, payment: charge.payment, signedAt: charge.signedAt, card: charge.card, route: route),
                StoredOrder.Arrival(card: SealedCard(charge), traceparent: command.event?.traceparent))
        case .unreadableCharge(let order, let payment, let compact, _):
            let ticket = try verify(compact, for: order, command, partition, time)
            return .charge(
                Charge(ticket: ticket, payment: payment, signedAt: ticket.issuedAt, card: nil, route: nil),
                StoredOrder.Arrival(card: nil, traceparent: command.event?.traceparent))
        }
    }

    /// A ticket that does not verify promises nothing: token-ingest verified it before it answered, so that the command
    /// was written by somebody else.
    private func verify(
        _ compact: String, for order: OrderID, _ command: IncomingCommand, _ partition: Int32, _ time: Timestamp
    ) throws(CommandRefusal) -> OrderTicket {
        let ticket: OrderTicket
        do throws(TicketError) {
            ticket = try TicketVerifier(keys: ticketKeys.keys.publicKeys).verify(compact, at: time)
        } catch {
            let written = Timestamp(microseconds: command.record.timestamp * 1_000)
            // Whatever the ticket says, it cannot charge any more after this time.
            let mayStillCharge = time < written + OrderTicket.maximumLife + TicketVerifier.clockSkew
            if error.code == .unknownKey && mayStillCharge { throw .wait(TicketWait(description: error.reason)) }
            throw .deadLetter(error.reason)
        }
        guard ticket.order == order else { throw .deadLetter("the ticket is of another order") }
        guard ticket.partition == partition else {
            throw .deadLetter("the order belongs to partition \(ticket.partition)")
        }
        return ticket
    }
}
