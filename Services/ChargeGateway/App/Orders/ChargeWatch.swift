import Charging
import Contracts
import OrchardServiceKit

/// What operators see of charges: numbers, and alarms in the log.
struct ChargeWatch: Sendable {
    private let registry: MetricsRegistry
    private let logger: Logger

    init(_ registry: MetricsRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
        for kind in Alarm.Kind.allCases { _ = alarms(kind) }
    }

    /// Counts what was committed, and raises its alarms, each in the trace of the command that its payment came with.
    func note(_ actions: [Action], of order: StoredOrder) {
        for action in actions {
            let trace = order.traceparent(of: action).flatMap { TraceContext(traceparent: $0) }
            TraceContext.$current.withValue(trace) { note(action) }
        }
    }

    private func note(_ action: Action) {
        switch action {
        case .record(let fact): note(fact)
        case .alarm(let alarm):
            alarms(alarm.kind).increment()
            logger.error(
                "ALARM \(alarm.kind.rawValue): \(alarm.reason)",
                ["order_id": alarm.order.description, "payment_id": alarm.payment.description])
        case .send: registry.counter("charge_sends", help: "Sends begun.").increment()
        case .query: registry.counter("charge_queries", help: "Queries begun.").increment()
        }
    }

    private func note(_ fact: Fact) {
        switch fact {
        case .payment(let payment):
            var labels = [("event", payment.event.name)]
            if case .declined(let reason, _) = payment.event { labels.append(("reason", reason.rawValue)) }
            if case .refused(let reason) = payment.event { labels.append(("reason", reason.rawValue)) }
            registry.counter("charge_events", help: "Facts told of charges.", labels: labels).increment()
            logger.info(
                "payment \(payment.event.name)",
                [
                    "order_id": payment.order.description, "payment_id": payment.payment.description,
                    "transition": "\(payment.transition)",
                ])
        case .orderClosed(let closed):
            registry.counter(
                "orders_closed", help: "Orders closed.", labels: [("reason", closed.reason.rawValue)]
            ).increment()
        case .commandRejected(let rejected):
            registry.counter(
                "commands_rejected", help: "Shops' commands rejected.", labels: [("reason", rejected.reason.rawValue)]
            ).increment()
        case .orderOpened, .orderRepriced, .paymentRejected: break
        }
    }

    private func alarms(_ kind: Alarm.Kind) -> Counter {
        registry.counter(
            "charge_alarms", help: "What a person must look at.", labels: [("kind", kind.rawValue)])
    }

    /// Counts how an exchange with the acquirer ended.
    func exchanged(_ kind: NextStep.Kind, _ outcome: String, in duration: Duration) {
        registry.histogram(
            "acquirer_exchange_duration_seconds", help: "From the send of a request to its outcome.",
            labels: [("kind", kind.rawValue), ("outcome", outcome)]
        ).record(duration)
    }

    /// Counts a notification by what became of it.
    func notified(_ outcome: String) {
        registry.counter(
            "acquirer_notifications", help: "Notifications by what became of them.", labels: [("outcome", outcome)]
        ).increment()
    }

    /// Counts commands by what became of them.
    func commands(_ outcome: String, _ count: Int) {
        guard count > 0 else { return }
        registry.counter("charge_commands", help: "Commands by what became of them.", labels: [("outcome", outcome)])
            .increment(by: Int64(count))
    }

    /// How late a timer fired.
    func fired(late: Duration) {
        registry.histogram("charge_timer_delay_seconds", help: "From a timer's due time to its step.").record(late)
    }

    /// The charges that hold a slot at an acquirer.
    func inFlight(_ kind: NextStep.Kind) -> Gauge {
        registry.gauge(
            "acquirer_requests_in_flight", help: "Requests at the acquirers now.", labels: [("kind", kind.rawValue)])
    }
}
