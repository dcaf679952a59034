import Acquirers
import Charging
import Contracts
import OrchardServiceKit

/// Metrics, alarms and log lines of charges and what follows them.
struct ChargeTelemetry: Sendable {
    /// What becomes of a command.
    enum CommandOutcome: String, CaseIterable {
        case taken
        /// It was processed before.
        case known
        case deadLetter
    }

    /// What becomes of a genuine notification.
    enum NotificationOutcome: String, CaseIterable {
        case heard, unavailable, unknownOrder, busy
    }

    private let registry: MetricsRegistry
    private let logger: Logger

    init(_ registry: MetricsRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
        startAtZero()
    }

    /// Creates each series with zero, so that a rate over the first event is right.
    private func startAtZero() {
        for kind in Alarm.Kind.allCases { _ = alarms(kind) }
        for event in PaymentEvent.Kind.allCases where event != .declined && event != .refused {
            _ = facts([("event", event.rawValue)])
        }
        for kind in FollowUpKind.allCases {
            for event in FollowUpEvent.Kind.allCases where event != .failed { _ = followUps(kind, event) }
            for reason in FollowUpEvent.FailureReason.allCases { _ = followUps(kind, .failed, reason) }
        }
        for reason in DeclineReason.allCases { _ = facts([("event", "declined"), ("reason", reason.rawValue)]) }
        for reason in RefusalReason.allCases { _ = facts([("event", "refused"), ("reason", reason.rawValue)]) }
        for reason in OrderClosure.Reason.allCases { _ = closed(reason) }
        for reason in CommandRejected.Reason.allCases { _ = rejected(reason) }
        for outcome in CommandOutcome.allCases { _ = commands(outcome.rawValue) }
        for outcome in NotificationOutcome.allCases { _ = notifications(outcome.rawValue) }
        for code in NotificationError.Code.allCases { _ = notifications(code.rawValue) }
        for kind in NextStep.Kind.allCases {
            _ = inFlight(kind)
            for outcome in ExchangeOutcome.all(of: kind) { _ = exchanges(kind, outcome) }
        }
        _ = (sends, queries, timerDelay)
    }

    /// Counts committed actions and raises their alarms, each in the trace of its payment's command.
    func record(_ actions: [Action], of order: StoredOrder, at time: Timestamp) {
        for action in actions {
            let trace = order.traceparent(of: action).flatMap { TraceContext(traceparent: $0) }
            TraceContext.$current.withValue(trace) { record(action, of: order, at: time) }
        }
    }

    private func record(_ action: Action, of order: StoredOrder, at time: Timestamp) {
        switch action {
        case .record(let fact): record(fact, of: order, at: time)
        case .alarm(let alarm): raise(alarm)
        case .send: sends.increment()
        case .query: queries.increment()
        }
    }

    /// Raises an alarm for an operator.
    func raise(_ alarm: Alarm) {
        alarms(alarm.kind).increment()
        var names = ["order_id": alarm.order.description]
        names["payment_id"] = alarm.payment?.description
        logger.error("ALARM \(alarm.kind.rawValue): \(alarm.reason)", names)
    }

    private func record(_ fact: Fact, of order: StoredOrder, at time: Timestamp) {
        switch fact {
        case .payment(let payment):
            var labels = [("event", payment.event.name)]
            if case .declined(let reason, _) = payment.event { labels.append(("reason", reason.rawValue)) }
            if case .refused(let reason) = payment.event { labels.append(("reason", reason.rawValue)) }
            facts(labels).increment()
            // At info a payment is one line: its end.
            let story = PaymentLogEntry(fact: payment, operation: order.machine[payment.operation], time: time)
            logger.log(
                payment.event.isStep ? .debug : .info, "payment \(payment.event.name)", metadata: story.metadata)
            switch payment.event {
            case .succeeded, .authorised: closed(.paid).increment()
            default: break
            }
        case .orderClosed(let fact):
            switch fact.reason {
            case .cancelled: closed(.cancelled).increment()
            case .expired: closed(.expired).increment()
            }
        case .commandRejected(let fact): rejected(fact.reason).increment()
        case .followUp(let fact):
            if case .failed(let reason, _) = fact.event {
                followUps(fact.kind, .failed, reason).increment()
            } else {
                followUps(fact.kind, fact.event.kind).increment()
            }
            // At info it is one line: its end.
            let entry = FollowUpLogEntry(fact: fact, operation: order.machine[fact.operation], time: time)
            logger.log(
                entry.isStep ? .debug : .info, "\(fact.kind.rawValue) \(fact.event.kind.rawValue)",
                metadata: entry.metadata)
        case .orderOpened, .orderRepriced, .orderFinalised, .settlementFileRecorded, .settlementRecorded,
            .disputeOpened, .differenceExplained, .payOutReceived:
            break
        }
    }

    /// Counts the outcome of an exchange with the acquirer.
    func exchanged(_ kind: NextStep.Kind, _ outcome: ExchangeOutcome, in duration: Duration) {
        exchanges(kind, outcome).record(duration)
    }

    /// Counts a notification that is genuine.
    func notified(_ outcome: NotificationOutcome) { notifications(outcome.rawValue).increment() }

    /// Counts a notification that is refused.
    func notified(_ refusal: NotificationError.Code) { notifications(refusal.rawValue).increment() }

    /// Counts commands by what became of them.
    func commands(_ outcome: CommandOutcome, _ count: Int) { commands(outcome.rawValue).increment(by: Int64(count)) }

    /// How late a timer fired.
    func fired(late: Duration) { timerDelay.record(late) }

    /// The charges that hold a slot at an acquirer.
    func inFlight(_ kind: NextStep.Kind) -> Gauge {
        registry.gauge(
            "charge_gateway_acquirer_requests_in_flight", help: "Requests at the acquirers now.",
            labels: [("kind", kind.rawValue)])
    }

    /// - Parameter read: the highest share, of any acquirer or merchant's account.
    func slotsTaken(_ kind: NextStep.Kind, reading read: @escaping @Sendable () -> Double) {
        registry.gauge(
            "charge_gateway_acquirer_slots_taken_ratio",
            help: "Highest share of slots that are taken, of any acquirer or merchant's account.",
            labels: [("kind", kind.rawValue)], reading: read)
    }

    /// Whether sends to an account are held back: 1 while its circuit breaker is not closed.
    func circuit(_ acquirer: String, _ account: String) -> Gauge {
        registry.gauge(
            "charge_gateway_circuit_open", help: "Whether sends to an account are held back because none can succeed.",
            labels: [("acquirer", acquirer), ("account", account)])
    }

    // MARK: Instruments

    private var sends: Counter { registry.counter("charge_gateway_sends", help: "Sends begun.") }
    private var queries: Counter { registry.counter("charge_gateway_queries", help: "Queries begun.") }
    private var timerDelay: Histogram {
        registry.histogram("charge_gateway_timer_delay_seconds", help: "From a timer's due time to its step.")
    }

    private func exchanges(_ kind: NextStep.Kind, _ outcome: ExchangeOutcome) -> Histogram {
        registry.histogram(
            "charge_gateway_acquirer_exchange_duration_seconds", help: "From the send of a request to its outcome.",
            labels: [("kind", kind.rawValue), ("outcome", outcome.rawValue)])
    }

    private func alarms(_ kind: Alarm.Kind) -> Counter {
        registry.counter(
            "charge_gateway_alarms", help: "What a person must look at.", labels: [("kind", kind.rawValue)])
    }

    private func facts(_ labels: [(String, String)]) -> Counter {
        registry.counter("charge_gateway_facts", help: "Facts told of charges.", labels: labels)
    }

    private func followUps(
        _ kind: FollowUpKind, _ event: FollowUpEvent.Kind, _ reason: FollowUpEvent.FailureReason? = nil
    ) -> Counter {
        registry.counter(
            "charge_gateway_follow_up_facts", help: "Facts told of captures, voids and refunds.",
            labels: [("kind", kind.rawValue), ("event", event.rawValue)]
                + (reason.map { [("reason", $0.rawValue)] } ?? []))
    }

    private func closed(_ reason: OrderClosure.Reason) -> Counter {
        registry.counter(
            "charge_gateway_orders_closed", help: "Orders closed.", labels: [("reason", reason.rawValue)])
    }

    private func rejected(_ reason: CommandRejected.Reason) -> Counter {
        registry.counter(
            "charge_gateway_commands_rejected", help: "Shops' commands rejected.",
            labels: [("reason", reason.rawValue)])
    }

    private func notifications(_ outcome: String) -> Counter {
        registry.counter(
            "charge_gateway_notifications", help: "Notifications by what became of them.",
            labels: [("outcome", outcome)])
    }

    private func commands(_ outcome: String) -> Counter {
        registry.counter(
            "charge_gateway_commands", help: "Commands by what became of them.", labels: [("outcome", outcome)])
    }
}
