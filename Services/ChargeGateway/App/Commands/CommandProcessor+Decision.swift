import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardJOSE

extension CommandProcessor {
    /// Verifies a command's ticket and decides what the command means. Amount, currency, merchant and expiry come from the
    /// ticket alone.
    func decide(
        _ command: IncomingCommand, in partition: Int32, at time: Timestamp
    ) throws(UnprocessableCommand) -> CommandDecision {
        switch command.reading {
        case .unreadable(let reason): throw .deadLetter(reason)
        case .newer(let reason): throw .wait(CommandWait(description: reason, isTransient: false))
        case .signed(let signed):
            switch try verify(signed, command, partition, time) {
            case .close(let close): return .close(close)
            case .followUp(let followUp): return .followUp(followUp)
            }
        case .charge(let charge):
            let ticket = try verify(charge.ticket, for: charge.order, command, partition, time)
            return .charge(
                Charge(
                    ticket: ticket, payment: charge.payment, signedAt: charge.signedAt, card: charge.card,
                    route: try route(of: charge, ticket)),
                StoredOrder.Arrival(card: SealedCard(charge), traceparent: command.traceparent))
        case .unreadableCharge(let order, let payment, let compact, _):
            let ticket = try verify(compact, for: order, command, partition, time)
            return .charge(
                Charge(ticket: ticket, payment: payment, signedAt: ticket.issuedAt, card: nil, route: nil),
                StoredOrder.Arrival(card: nil, traceparent: command.traceparent))
        }
    }

    /// The route that the ticket names for this card; nil when it names none.
    ///
    /// Another route, or another account of the same route, would be another key at the acquirer. A lost database may have
    /// sent the payment under the first key: such a charge is neither sent nor declined.
    private func route(
        of charge: ChargeRequested, _ ticket: OrderTicket
    ) throws(UnprocessableCommand) -> AcquirerRoute? {
        guard let reference = ticket.route(for: charge.card) else { return nil }
        guard let merchant = merchants()[ticket.merchant] else {
            throw .setAside(
                Alarm(
                    .merchantMissing, order: charge.order, payment: charge.payment,
                    reason: "merchants.json lacks merchant \(ticket.merchant); bring the same file to every host, then "
                        + "run charge-gateway dlq replay"),
                merchantOf: ticket)
        }
        if let route = merchant.route(reference) { return route }
        throw .setAside(
            Alarm(
                .routeChanged, order: charge.order, payment: charge.payment,
                reason: "merchants.json has no route \(reference.id) of the merchant that leads where the ticket says; "
                    + "put it back, then run charge-gateway dlq replay"))
    }

    /// token-ingest verified the ticket before it answered. A ticket that does not verify here comes from another writer,
    /// and its command has no effect.
    private func verify(
        _ compact: String, for order: OrderID, _ command: IncomingCommand, _ partition: Int32, _ time: Timestamp
    ) throws(UnprocessableCommand) -> OrderTicket {
        let ticket: OrderTicket
        do throws(TicketError) {
            ticket = try TicketVerifier(keys: ticketKeys.keys.publicKeys(at: time.seconds)).verify(compact, at: time)
        } catch {
            let refusal = refusal(error, of: command, at: time)
            // Its device waits for an outcome: an operator restores the key, or sets a clock.
            let kinds: [TicketError.Code: Alarm.Kind] = [
                .unknownKey: .ticketKeyUnknown, .notYetValid: .ticketNotYetValid,
            ]
            if let kind = kinds[error.code], case .deadLetter(let reason) = refusal, let payment = command.payment {
                throw .setAside(Alarm(kind, order: order, payment: payment, reason: reason))
            }
            throw refusal
        }
        guard ticket.order == order else { throw .deadLetter("the ticket is of another order") }
        guard ticket.partition == partition else {
            throw .deadLetter("the order belongs to partition \(ticket.partition)")
        }
        return ticket
    }

    /// A command that order-ledger did not sign has no effect: anybody who may write to the topic can have written it.
    private func verify(
        _ signed: SignedCommand, _ command: IncomingCommand, _ partition: Int32, _ time: Timestamp
    ) throws(UnprocessableCommand) -> CommandClaims {
        let claims: CommandClaims
        do throws(TicketError) {
            claims = try CommandVerifier(keys: ticketKeys.keys.publicKeys(at: time.seconds)).verify(signed)
        } catch {
            throw refusal(error, of: command, at: time)
        }
        guard claims.partition == partition else {
            throw .deadLetter("the order belongs to partition \(claims.partition)")
        }
        return claims
    }

    /// A key that is not here yet, and clocks that disagree, are our faults: the command waits.
    private func refusal(_ error: TicketError, of command: IncomingCommand, at time: Timestamp) -> UnprocessableCommand
    {
        if error.code == .unknownKey || error.code == .notYetValid, mayStillCharge(command.record, at: time) {
            return .wait(CommandWait(description: error.reason, isTransient: true))
        }
        return .deadLetter(error.reason)
    }

    /// Whether a ticket that was issued when the record was written may still charge. A record from the future does not
    /// wait: its time cannot be trusted.
    private func mayStillCharge(_ record: KafkaRecord, at time: Timestamp) -> Bool {
        let lifetime = OrderTicket.maximumLife + TicketVerifier.clockSkew
        let now = time.microseconds / 1_000
        let latest = now + TicketVerifier.clockSkew.wholeMicroseconds / 1_000
        return (now - lifetime.wholeMicroseconds / 1_000...latest).contains(record.timestamp)
    }
}
