import Charging
import Contracts
import OrchardServiceKit

/// Steps orders whose time has come, in the caller's transaction.
struct IntentMaker: Sendable {
    let opener: CardOpener
    let breakers: CircuitBreakers
    let watch: ChargeWatch

    /// Gives the order's machine its time.
    ///
    /// - Parameters:
    ///   - due: what is due, and holds a slot.
    ///   - order: locked, with its sealed card data where a send is due.
    /// - Returns: nil when the time has not come, and nothing has changed.
    func make(_ due: DueOrder, _ order: inout StoredOrder, at time: Timestamp) -> Intent? {
        guard let operation = order.machine.nextDue, let dueAt = operation.dueAt, dueAt <= time,
            // The slot is of one kind: another kind of step waits for its own.
            operation.state.next.map({ $0.kind == due.step }) ?? true
        else { return nil }
        let begun = ContinuousClock.now
        var input = OperationInput.due(.ready)
        var card: CardOpener.OpenedCard?
        if operation.wantsCard(at: time) {
            var availability = CardAvailability.unreadable
            if let sealed = order.sealedCard(of: operation.charge.payment) {
                (availability, card) = opener.open(sealed, of: operation.charge.payment, at: time)
            }
            input = .due(availability)
            // Asked last: who is allowed to send while a breaker is half open must send.
            if availability == .ready, let reference = operation.charge.reference,
                case .wait(let until) = breakers.permission(for: reference, at: time)
            {
                (input, card) = (.held(until: until), nil)
            }
        }
        watch.fired(late: time - dueAt)
        let actions = order.receive(.operation(operation.charge.operation, input), at: time)
        let trace = order.traceparent(of: .query(operation.charge)).flatMap { TraceContext(traceparent: $0) }
        return Intent(due: due, actions: actions, time: time, begun: begun, card: card, trace: trace)
    }
}
