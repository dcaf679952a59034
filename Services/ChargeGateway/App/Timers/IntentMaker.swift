import Charging
import Contracts
import OrchardServiceKit

/// Steps due orders, in the caller's transaction.
struct IntentMaker: Sendable {
    let decryptor: CardDecryptor
    let breakers: CircuitBreakers
    let telemetry: ChargeTelemetry

    /// Gives the order's machine its time.
    ///
    /// - Parameters:
    ///   - due: what is due, and holds a slot.
    ///   - order: locked, with its sealed card data where a send is due.
    /// - Returns: nil when the time has not come, or a send is due whose card data were not read; nothing has changed then.
    func make(_ due: DueOrder, _ order: inout StoredOrder, at time: Timestamp) -> Intent? {
        guard let (operation, dueAt) = order.machine.nextDue, dueAt <= time,
            // The slot is of one kind: another kind of step waits for its own.
            operation.state.next.map({ $0.kind == due.step }) ?? true
        else { return nil }
        let begun = ContinuousClock.now
        var input = OperationInput.due(.ready)
        var card: CardDecryptor.DecryptedCardData?
        if operation.wantsCard(at: time) {
            // Card data that were not read may exist: a step that reads them decides.
            guard order.knowsCard(of: operation.subject.payment) else { return nil }
            var availability = CardAvailability.unreadable
            if let sealed = order.sealedCard(of: operation.subject.payment) {
                (availability, card) = decryptor.open(sealed, of: operation.subject.payment, at: time)
            }
            input = .due(availability)
        }
        // Checked last: the send that a half-open breaker allows must be made.
        if input == .due(.ready), operation.wantsToSend(at: time), let reference = operation.subject.reference,
            case .wait(let until) = breakers.permission(for: reference, at: time)
        {
            (input, card) = (.held(until: until), nil)
        }
        telemetry.fired(late: time - dueAt)
        let actions = order.receive(.operation(operation.subject.operation, input), at: time)
        let trace = order.traceparent(of: .query(operation.subject)).flatMap { TraceContext(traceparent: $0) }
        return Intent(due: due, actions: actions, time: time, begun: begun, card: card, trace: trace)
    }

    /// Drops an intent that is not committed. A half-open breaker may allow another send.
    func discard(_ intent: Intent) {
        for case .send(let subject, _) in intent.actions {
            guard let reference = subject.reference else { continue }
            breakers.record(.notSent(reason: "its intent is not committed"), of: reference, at: intent.time)
        }
    }
}
