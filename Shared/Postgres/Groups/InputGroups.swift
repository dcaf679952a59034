import Glibc
import OrchardServiceKit

/// Performs the inputs of several callers together, in one transaction or one query: inputs that arrive while a group is
/// performed are the next group.
///
/// The task of the input that leads a group does the work for all. An input that cannot be performed stops nobody: when a
/// group fails, each of its inputs is tried alone, and one that fails alone has no part in a group until it succeeds. A
/// try waits 100 ms for a lock at most (``PostgresTransactionMode/group``); who must wait longer does so alone and without a
/// connection, because another process may have frozen with the locks of many.
public final class InputGroups<Key: Hashable & Sendable, Input: Sendable, Output: Sendable>: Sendable {
    fileprivate typealias Queue = GroupQueue<Key>

    /// What wakes a waiting input.
    fileprivate enum Call: Sendable {
        case lead
        case answer(Answer)
    }

    fileprivate enum Answer: Sendable {
        case done(Output)
        case failed(any Error)
        /// The group failed, and this input may be the cause: it must be tried alone.
        case alone
        /// The task that led the group was cancelled, and nothing was done.
        case again
    }

    fileprivate struct Waiting {
        let input: Input
        var call: CheckedContinuation<Call, Never>?
    }

    fileprivate struct State {
        var queue: Queue
        var inputs: [Queue.ID: Waiting] = [:]
        /// Keys whose last input failed also alone.
        var failing: Set<Key> = []
        var lastID = 0
    }

    private let state: Locked<State>
    private let limits: GroupLimits

    public init(_ limits: GroupLimits = GroupLimits()) {
        self.limits = limits
        state = Locked(State(queue: GroupQueue(limits)))
    }

    /// How many inputs wait or are performed.
    package var count: Int { state.withLock { $0.inputs.count } }

    /// Performs inputs together, and gives an output for each. What may wait for a lock does so in a transaction of
    /// ``PostgresTransactionMode/group``.
    public typealias Work = ([Input]) async throws -> [Output]

    /// Performs an input, with others that wait.
    ///
    /// - Parameters:
    ///   - key: no two inputs of one key are in groups that run; nil: no matter.
    ///   - size: its share of the size of a group. An input as large as a group is performed at once, alone.
    ///   - together: performs inputs of different keys.
    /// - Throws: what `together` throws for this input alone, or for all when the database cannot be reached;
    ///   ``PostgresError/Code/poolExhausted`` when too many wait; `CancellationError` while it waits.
    public func perform(_ input: Input, of key: Key?, size: Int = 1, _ together: Work) async throws -> Output {
        let isFailing = key.map { key in state.withLock { $0.failing.contains(key) } } ?? false
        tries: while size < limits.size, !isFailing {
            switch await answer(input, of: key, size, together) {
            case .done(let output): return output
            case .failed(let error): throw error
            case .again: continue
            case .alone: break tries
            }
        }
        do {
            let output = try await alone(input, together)
            if let key { state.withLock { _ = $0.failing.remove(key) } }
            return output
        } catch {
            if let key, !Self.isShared(error), !Task.isCancelled {
                state.withLock { $0.noteFailing(key) }
            }
            throw error
        }
    }

    private func alone(_ input: Input, _ together: Work) async throws -> Output {
        var retry = LockRetry(longestPause: .seconds(1))
        while true {
            do {
                return try await together([input])[0]
            } catch let error as PostgresError where error.isLocked && !retry.isOver {
                try await retry.pause()
            }
        }
    }

    private func answer(
        _ input: Input, of key: Key?, _ size: Int, _ together: Work
    ) async -> Answer {
        let id = state.withLock { state -> Queue.ID? in
            if let limit = limits.inputs, state.inputs.count >= limit { return nil }
            state.lastID += 1
            return state.lastID
        }
        guard let id else {
            return .failed(PostgresError(.poolExhausted, "too many requests wait for the database"))
        }
        let call = await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                let leader = state.withLock { state in
                    state.inputs[id] = Waiting(input: input, call: call)
                    return Self.call(of: state.queue.add(id, of: key, size: size), &state)
                }
                leader?.resume(returning: .lead)
                // A cancellation before this point found nothing to answer.
                if Task.isCancelled { cancel(id, of: key) }
            }
        } onCancel: {
            cancel(id, of: key)
        }
        switch call {
        case .answer(let answer): return answer
        case .lead: return await lead(id, together)
        }
    }

    private func cancel(_ id: Queue.ID, of key: Key?) {
        let call = state.withLock { state in
            state.queue.cancel(id, of: key) ? state.inputs.removeValue(forKey: id)?.call : nil
        }
        call?.resume(returning: .answer(.failed(CancellationError())))
    }

    /// First lets those run that may bring inputs: tasks of this process, such as those of one read of many sockets, and
    /// threads that are ready to run on this core. Since Linux 6.6 those are the threads of the same control group or
    /// session.
    ///
    /// On a busy core each group costs time that payments lack: fewer and larger ones, each a few milliseconds later, step
    /// more of them. The number bounds how long other programs can keep a group, and what it costs on an idle core: about
    /// 6 µs each time.
    private func yieldCore() async {
        await Task.yield()
        for _ in 0..<4 {
            if state.withLock({ $0.queue.isLarge }) { return }
            sched_yield()
            await Task.yield()
        }
    }

    private func lead(_ id: Queue.ID, _ together: Work) async -> Answer {
        await yieldCore()
        let (group, inputs, other) = state.withLock { state in
            let (group, next) = state.queue.begin(id)
            return (group, group.inputs.compactMap { state.inputs[$0]?.input }, Self.call(of: next, &state))
        }
        other?.resume(returning: .lead)
        let answers: [Answer]
        do {
            answers = try await withTaskCancellationHandler {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    tasks.addTask { await self.wait(for: group) }
                    defer { tasks.cancelAll() }
                    return try await together(inputs).map { .done($0) }
                }
            } onCancel: {
                // The wait ends with it, and to end the work may take long.
                lasts(group)
            }
            precondition(answers.count == inputs.count, "each input has its own output")
        } catch {
            if Self.isUnreachable(error), limits.inputs != nil { failAll(error) }
            answers = Self.answers(to: error, of: inputs.count)
        }
        let (calls, next) = state.withLock { state in
            let calls = group.inputs.map { state.inputs.removeValue(forKey: $0)?.call }
            return (calls, Self.call(of: state.queue.end(group), &state))
        }
        next?.resume(returning: .lead)
        for (call, answer) in zip(calls, answers).dropFirst() { call?.resume(returning: .answer(answer)) }
        return answers[0]
    }

    /// Lets others begin beside a group that lasts long, as with a connection that hangs.
    private func wait(for group: Queue.Group) async {
        guard (try? await Task.sleep(for: .milliseconds(250))) != nil else { return }
        lasts(group)
    }

    private func lasts(_ group: Queue.Group) {
        let other = state.withLock { state in Self.call(of: state.queue.lasts(group), &state) }
        other?.resume(returning: .lead)
    }

    /// Fails all inputs that wait.
    private func failAll(_ error: any Error) {
        let calls = state.withLock { state in
            state.queue.cancelAll().map { state.inputs.removeValue(forKey: $0)?.call }
        }
        for call in calls { call?.resume(returning: .answer(.failed(error))) }
    }

    /// Without the database all inputs of the group fail. When the task that leads was cancelled, the others begin again
    /// without it. Another error may be one input's fault: each is tried alone then, a single one only when time may heal
    /// it or it had to wait for a lock.
    private static func answers(to error: any Error, of count: Int) -> [Answer] {
        let canHeal = (error as? PostgresError)?.isTransient ?? false
        let isCancelled = Task.isCancelled && !isShared(error)
        if isCancelled { return [.failed(error)] + Array(repeating: .again, count: count - 1) }
        return Array(
            repeating: isShared(error) || count == 1 && !canHeal ? .failed(error) : .alone, count: count)
    }

    private static func isShared(_ error: any Error) -> Bool {
        let code = (error as? PostgresError)?.code
        return isUnreachable(error) || code == .connectionLost || code == .commitUnknown
    }

    private static func isUnreachable(_ error: any Error) -> Bool {
        let codes: [PostgresError.Code] = [.connectionFailed, .poolExhausted, .poolClosed]
        return (error as? PostgresError).map { codes.contains($0.code) } ?? false
    }

    /// Removes the continuation of a leader, to resume it outside the lock.
    private static func call(of leader: Queue.ID?, _ state: inout State) -> CheckedContinuation<Call, Never>? {
        guard let leader else { return nil }
        defer { state.inputs[leader]?.call = nil }
        return state.inputs[leader]?.call
    }
}

extension InputGroups.State {
    /// They are few: beyond a number of them all are tried in groups again.
    fileprivate mutating func noteFailing(_ key: Key) {
        if failing.count >= 1_000 { failing = [] }
        failing.insert(key)
    }
}
