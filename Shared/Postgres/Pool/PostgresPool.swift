import OrchardServiceKit

/// Keeps a number of connections open and lends them.
///
/// It needs ``run()``: each connection belongs to a child task there, which connects, replaces the connection when it
/// is lost or old, and waits longer and longer while the database does not answer. Callers wait for a free connection
/// (first come, first served) for `acquireTimeout`; the readiness component `postgres` shows whether the database
/// answers.
public final class PostgresPool: Service {
    let configuration: PostgresConfiguration
    let readiness: Readiness
    let logger: Logger
    private let metrics: PoolMetrics
    private let state: Locked<State>
    /// Whether any connection was ever made.
    let hasConnected = Locked(false)

    typealias Handover = CheckedContinuation<Result<Lease, PostgresError>, Never>

    struct Lease: Sendable {
        let slot: PoolMachine.Slot
        let connection: PostgresConnection
    }

    struct Member {
        let connection: PostgresConnection
        let createdAt: ContinuousClock.Instant
        /// Finished when the connection is to be replaced.
        let lifetime: AsyncStream<Never>.Continuation
    }

    struct State {
        var machine: PoolMachine
        var members: [PoolMachine.Slot: Member] = [:]
        var handovers: [PoolMachine.Waiter: Handover] = [:]
        var lastWaiter = 0
    }

    public init(
        _ configuration: PostgresConfiguration, logger: Logger, metrics: MetricsRegistry = MetricsRegistry(),
        readiness: Readiness
    ) {
        self.configuration = configuration
        self.readiness = readiness
        self.logger = logger.scoped(to: "postgres")
        state = Locked(State(machine: PoolMachine(maximumWaiters: configuration.maximumWaiters)))
        self.metrics = PoolMetrics(metrics)
        readiness.begin("postgres", reason: "not connected yet")
    }

    // MARK: Lending

    /// Lends a connection for the duration of `body`.
    ///
    /// - Throws: what `body` throws; ``PostgresError/Code/poolExhausted``, ``PostgresError/Code/poolClosed``,
    ///   ``PostgresError/Code/cancelled`` when none was got.
    @discardableResult
    public func withConnection<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        let lease = try await lease()
        do {
            let value = try await body(lease.connection)
            release(lease)
            return value
        } catch {
            release(lease)
            throw error
        }
    }

    /// Lends a connection for a transaction: see ``PostgresConnection/transaction(_:isolation:_:)``.
    @discardableResult
    public func withTransaction<Value: Sendable>(
        _ mode: PostgresTransactionMode = .readCommitted, isolation: isolated (any Actor)? = #isolation,
        _ body: (PostgresConnection) async throws -> Value
    ) async throws -> Value {
        try await withConnection { connection in try await connection.transaction(mode, body) }
    }

    private func lease() async throws(PostgresError) -> Lease {
        let start = ContinuousClock.now
        while true {
            let lease = try await acquire(until: start + configuration.acquireTimeout)
            // A connection that the server closed meanwhile is found out here, not by the caller.
            guard await lease.connection.isUsable() else {
                release(lease)
                continue
            }
            metrics.waited.record(ContinuousClock.now - start)
            return lease
        }
    }

    private func acquire(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> Lease {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (handover: Handover) in
                // Cancellation before this point finds no handover to answer.
                let answer = state.withLock { state -> Result<Lease, PostgresError>? in
                    guard !Task.isCancelled else {
                        return .failure(PostgresError(.cancelled, "the task was cancelled"))
                    }
                    switch state.machine.acquire(waiter, until: deadline) {
                    case .lease(let slot):
                        guard let member = state.members[slot] else {
                            preconditionFailure("a slot that is lent has a connection")
                        }
                        return .success(Lease(slot: slot, connection: member.connection))
                    case .wait:
                        state.handovers[waiter] = handover
                        return nil
                    case .refuse(let code): return .failure(Self.refusal(code))
                    }
                }
                if let answer { handover.resume(returning: answer) }
            }
        } onCancel: {
            let handover = state.withLock { state in
                state.machine.cancel(waiter) ? state.handovers.removeValue(forKey: waiter) : nil
            }
            handover?.resume(returning: .failure(PostgresError(.cancelled, "cancelled while waiting for a connection")))
        }
        metrics.count(state.withLock { $0.machine })
        return try result.get()
    }

    private func release(_ lease: Lease) {
        let isClean = lease.connection.isOpen && !lease.connection.isInTransaction
        state.withLock { state -> Effect in
            let isYoung = state.members[lease.slot].map { !isOld($0) } ?? false
            let offer = state.machine.release(lease.slot, isUsable: isClean && isYoung)
            return Self.effect(of: offer, lease.slot, &state)
        }.perform()
        metrics.count(state.withLock { $0.machine })
    }

    // MARK: For the tasks of `run()`

    /// A slot has connected. Readiness is set before the connection can be used, and never by the slot that failed
    /// before this one connected.
    ///
    /// - Returns: a stream that ends when the connection is to be replaced.
    func join(_ slot: PoolMachine.Slot, _ connection: PostgresConnection) -> AsyncStream<Never> {
        let (stream, life) = AsyncStream<Never>.makeStream()
        state.withLock { state -> Effect in
            state.members[slot] = Member(connection: connection, createdAt: .now, lifetime: life)
            readiness.set("postgres", ready: true, reason: Self.text(connection))
            return Self.effect(of: state.machine.offer(slot), slot, &state)
        }.perform()
        metrics.count(state.withLock { $0.machine })
        return stream
    }

    /// A slot could not connect: reported when no other has a connection.
    func missed(_ error: PostgresError) {
        state.withLock { state in
            guard state.members.isEmpty else { return }
            readiness.set("postgres", ready: false, reason: error.reason)
        }
    }

    /// Refuses the waiters whose time is over, and checks each free connection.
    func maintain() async {
        let late = state.withLock { state in
            state.machine.expire(at: .now).compactMap { state.handovers.removeValue(forKey: $0) }
        }
        for handover in late { handover.resume(returning: .failure(Self.refusal(.poolExhausted))) }
        for slot in 0..<configuration.poolSize {
            let member = state.withLock { state in state.machine.setAside(slot) ? state.members[slot] : nil }
            guard let member else { continue }
            let isGood = await member.connection.isUsable() && !isOld(member)
            state.withLock { state in
                Self.effect(of: isGood ? state.machine.offer(slot) : .retire, slot, &state)
            }.perform()
        }
    }

    /// Lends no more; what is lent comes back by itself.
    func close() {
        let effects = state.withLock { state -> [Effect] in
            let (idle, waiters) = state.machine.close()
            return idle.map { Self.effect(of: .retire, $0, &state) }
                + waiters.compactMap { state.handovers.removeValue(forKey: $0) }
                .map { .answer($0, .failure(Self.refusal(.poolClosed))) }
        }
        for effect in effects { effect.perform() }
    }

    /// Whether `/readyz` shows an error already: the database does not answer, or the service is stopping.
    static func shows(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return error is CancellationError }
        let shown: [PostgresError.Code] = [
            .connectionFailed, .notDurable, .connectionLost, .commitUnknown, .poolExhausted, .poolClosed, .cancelled,
        ]
        return shown.contains(error.code)
    }

    var isClosed: Bool { state.withLock { $0.machine.isClosed } }

    var isConnected: Bool { state.withLock { !$0.members.isEmpty } }

    private func isOld(_ member: Member) -> Bool {
        ContinuousClock.now - member.createdAt > configuration.maximumLifetime
    }

    // MARK: Effects

    /// What is done after the lock was left.
    private enum Effect {
        case none
        case answer(Handover, Result<Lease, PostgresError>)
        case end(Member)

        func perform() {
            switch self {
            case .none: return
            case .answer(let handover, let result): handover.resume(returning: result)
            case .end(let member): member.lifetime.finish()
            }
        }
    }

    private static func effect(
        of offer: PoolMachine.Offer, _ slot: PoolMachine.Slot, _ state: inout State
    ) -> Effect {
        switch offer {
        case .keep: return .none
        case .retire: return state.members.removeValue(forKey: slot).map { .end($0) } ?? .none
        case .hand(let waiter):
            guard let handover = state.handovers.removeValue(forKey: waiter), let member = state.members[slot] else {
                preconditionFailure("a waiter has a handover, a slot in use a connection")
            }
            return .answer(handover, .success(Lease(slot: slot, connection: member.connection)))
        }
    }

    private static func refusal(_ code: PostgresError.Code) -> PostgresError {
        code == .poolClosed
            ? PostgresError(code, "the service is stopping")
            : PostgresError(code, "no connection to the database was free in time: see postgres in /readyz")
    }
}
