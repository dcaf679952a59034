import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The one place where orders change. It locks their rows, runs their machines, writes state, timers and outbox, and
/// commits.
///
/// Timers, acquirers' answers, notifications and commands come here. Steps that arrive while a transaction runs share the
/// next one.
struct OrderTransactions: Sendable {
    private let pool: PostgresPool
    private let store: OrderStore
    let outbox: Outbox
    let telemetry: ChargeTelemetry
    /// Learns due times; nil in a command, which fires no timer.
    let timers: TimerQueue?
    private let groups = InputGroups<OrderID, OrderStep, OrderStep.Result>()
    private let searches = InputGroups<AcquirerReference, AcquirerReference, [OrderStore.Found]>()
    private let looks = InputGroups<OrderID, OrderStore.Place, Bool>()

    init(
        pool: PostgresPool, store: OrderStore, outbox: Outbox, telemetry: ChargeTelemetry, timers: TimerQueue?
    ) {
        self.pool = pool
        self.store = store
        self.outbox = outbox
        self.telemetry = telemetry
        self.timers = timers
    }

    var policy: ChargingPolicy { store.policy }

    /// The watermarks of the commands' partitions.
    var inbox: Inbox { store.inbox }

    /// `ce_source` of the gateway's events.
    static let source = EventSource.chargeGateway.rawValue

    /// Steps one order and commits. Returns the actions of its machine.
    ///
    /// - Parameters:
    ///   - readsCards: whether the body needs the sealed card data of the order's operations.
    ///   - body: gives the order its input in the open transaction; it must not wait. After a failed transaction it may be
    ///     called again, with the order as it is then.
    /// - Returns: nil when the order has no row or, with lockWait `skip`, somebody else holds it.
    func step<Outcome: Sendable>(
        _ id: OrderID, in partition: Int32, _ lockWait: OrderStore.LockWait = .wait, readsCards: Bool = false,
        _ body: @escaping @Sendable (inout StoredOrder, Timestamp) throws -> (actions: [Action], Outcome)
    ) async throws -> (actions: [Action], outcome: Outcome)? {
        let outcome = Locked<Outcome?>(nil)
        let alarms = Locked<[Alarm]>([])
        let step = OrderStep(
            place: OrderStore.Place(order: id, partition: partition), lockWait: lockWait, readsCards: readsCards
        ) { order, time in
            let (actions, value) = try body(&order, time)
            outcome.withLock { $0 = value }
            alarms.withLock { $0 = actions.compactMap { if case .alarm(let alarm) = $0 { alarm } else { nil } } }
            return actions
        }
        let result: OrderStep.Result
        do { result = try await perform(step) } catch let error as PostgresError where error.code == .commitUnknown {
            // If it is committed, the same input has no alarm any more: better twice than never.
            for alarm in alarms.withLock(\.self) { telemetry.raise(alarm) }
            throw error
        }
        switch result {
        case .done(let done):
            telemetry.record(done.actions, of: done.order, at: done.time)
            return outcome.withLock { $0 }.map { (done.actions, $0) }
        case .failed(let error): throw error
        case .nothing, .held: return nil
        }
    }

    /// Performs a step, with others or alone. While another transaction holds the order, it is tried again.
    private func perform(_ step: OrderStep) async throws -> OrderStep.Result {
        var retry = LockRetry(longestPause: .milliseconds(250))
        while true {
            let result = try await groups.perform(step, of: step.place.order) { steps in try await commit(steps) }
            guard case .held = result else { return result }
            guard !retry.isOver else { throw PostgresError.held("the order") }
            try await retry.pause()
        }
    }

    /// Performs steps of different orders in one transaction. It waits for no lock.
    ///
    /// - Returns: a result for each.
    private func commit(_ steps: [OrderStep]) async throws -> [OrderStep.Result] {
        try await pool.withTransaction { connection in
            let locked = try await store.lock(
                steps.map(\.place), .skip, cards: steps.filter(\.readsCards).map(\.place), on: connection)
            let results = steps.map { result(of: $0, locked) }
            let done = results.compactMap { if case .done(let done) = $0 { done } else { nil } }
            try await batch(on: connection).commit(
                done.map(\.order), done.flatMap { rows($0.actions, of: $0.order, at: locked.time) }, at: locked.time)
            return results
        }
    }

    private func result(of step: OrderStep, _ locked: OrderStore.Locked) -> OrderStep.Result {
        if let refusal = locked.refusals[step.place.partition] { return .failed(refusal) }
        if let damage = locked.damaged[step.place.order] { return .failed(damage) }
        guard var order = locked.orders[step.place.order] else {
            return step.lockWait == .wait && locked.held.contains(step.place.order) ? .held : .nothing
        }
        do {
            let actions = try step.body(&order, locked.time)
            return .done(OrderStep.Done(order: order, actions: actions, time: locked.time))
        } catch {
            return .failed(error)
        }
    }

    /// Runs a transaction that steps the orders of many records.
    func withBatch<Result: Sendable>(
        _ mode: PostgresTransactionMode = .readCommitted, _ body: @Sendable (OrderBatch) async throws -> Result
    ) async throws -> Result {
        try await pool.withTransaction(mode) { try await body(batch(on: $0)) }
    }

    /// The orders in a transaction that the caller has opened.
    func batch(on connection: PostgresConnection) -> OrderBatch {
        OrderBatch(store: store, outbox: outbox, timers: timers, connection: connection)
    }

    /// Reads rows without a lock.
    func read<Result: Sendable>(
        _ body: @Sendable (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        try await pool.withConnection(body)
    }

    /// The operations under an acquirer's key, and where they are. Searches of different keys that come together are one
    /// query; one that meets a damaged row is tried alone until that is mended.
    func find(_ reference: AcquirerReference) async throws -> [OrderStore.Found] {
        try await searches.perform(reference, of: reference) { references in
            try await read { try await store.find(references, on: $0) }
        }
    }

    /// Whether the order waits for anything to be done. Orders that are looked at together are one query, without a lock.
    func isWaiting(_ order: OrderID, in partition: Int32) async throws -> Bool {
        try await looks.perform(OrderStore.Place(order: order, partition: partition), of: order) { places in
            let waiting = try await read { try await store.waiting(among: places, on: $0) }
            return places.map { waiting.contains($0.order) }
        }
    }

    /// The facts among the actions, as rows of the outbox.
    ///
    /// - Parameter command: what they answer, if it is a command.
    func rows(
        _ actions: [Action], of order: StoredOrder, at time: Timestamp, to command: IncomingCommand? = nil
    ) -> [OutboxRow] {
        actions.compactMap { action in
            guard case .record(let fact) = action else { return nil }
            let event = CloudEvent(
                fact, source: Self.source, time: order.machine.time(of: fact) ?? time, causation: command?.event?.id,
                traceparent: order.traceparent(of: action) ?? command?.traceparent)
            return OutboxRow(event, topic: .journal, partition: order.partition)
        }
    }
}
