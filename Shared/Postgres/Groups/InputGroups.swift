import OrchardServiceKit

/// Performs the inputs of several callers together, in one transaction or one query: inputs that arrive while a group is
/// performed are the next group.
///
/// The task of the input that leads a group does the work for all. An input that cannot be performed stops nobody: when
/// the database refuses a group, each of its inputs is tried alone.
public final class InputGroups<Key: Hashable & Sendable, Input: Sendable, Output: Sendable>: Sendable {
    private typealias Queue = GroupQueue<Key>

    /// What wakes a waiting input.
    private enum Call: Sendable {
        case lead(Queue.Group)
        case answer(Answer)
    }

    private enum Answer: Sendable {
        case done(Output)
        case failed(any Error)
        /// The group failed, and this input may be the cause: it must be tried alone.
        case alone
    }

    private struct Waiting {
        let input: Input
        var call: CheckedContinuation<Call, Never>?
    }

    private struct State {
        var queue: Queue
        var inputs: [Queue.ID: Waiting] = [:]
        var lastID = 0
    }

    private let state: Locked<State>

    public init(_ limits: GroupLimits = GroupLimits()) {
        state = Locked(State(queue: GroupQueue(limits)))
    }

    /// Performs an input, with others that wait.
    ///
    /// - Parameters:
    ///   - key: inputs of one key are performed one after the other, in their order.
    ///   - size: its share of the size of a group.
    ///   - together: performs inputs of different keys and gives an output for each.
    /// - Throws: what `together` throws for this input alone, or for all when the database cannot be reached;
    ///   `CancellationError` while it waits.
    public func perform(
        _ input: Input, of key: Key, size: Int = 1, _ together: ([Input]) async throws -> [Output]
    ) async throws -> Output {
        switch await answer(input, of: key, size, together) {
        case .done(let output): return output
        case .failed(let error): throw error
        case .alone: return try await together([input])[0]
        }
    }

    private func answer(
        _ input: Input, of key: Key, _ size: Int, _ together: ([Input]) async throws -> [Output]
    ) async -> Answer {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let call = await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                let leader = state.withLock { state -> (CheckedContinuation<Call, Never>, Queue.Group)? in
                    state.inputs[id] = Waiting(input: input, call: call)
                    return Self.leader(of: state.queue.add(id, of: key, size: size), &state)
                }
                if let (call, group) = leader { call.resume(returning: .lead(group)) }
                // A cancellation before this point found nothing to answer.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        switch call {
        case .answer(let answer): return answer
        case .lead(let group): return await lead(group, together)
        }
    }

    private func cancel(_ id: Queue.ID) {
        let call = state.withLock { state in
            state.queue.cancel(id) ? state.inputs.removeValue(forKey: id)?.call : nil
        }
        call?.resume(returning: .answer(.failed(CancellationError())))
    }

    private func lead(_ group: Queue.Group, _ together: ([Input]) async throws -> [Output]) async -> Answer {
        let inputs = state.withLock { state in group.inputs.compactMap { state.inputs[$0]?.input } }
        let answers = await answers(to: inputs, together)
        let (calls, next) = state.withLock { state in
            let calls = group.inputs.map { state.inputs.removeValue(forKey: $0)?.call }
            return (calls, Self.leader(of: state.queue.end(group), &state))
        }
        if let (call, group) = next { call.resume(returning: .lead(group)) }
        for (call, answer) in zip(calls, answers).dropFirst() { call?.resume(returning: .answer(answer)) }
        return answers[0]
    }

    /// An unreachable database fails all inputs. Another error may be one input's fault: each is tried alone then.
    private func answers(to inputs: [Input], _ together: ([Input]) async throws -> [Output]) async -> [Answer] {
        do {
            let outputs = try await together(inputs)
            precondition(outputs.count == inputs.count, "each input has its own output")
            return outputs.map { .done($0) }
        } catch {
            let isTransient = (error as? PostgresError)?.isTransient ?? false
            let isShared = isTransient && (error as? PostgresError)?.code != .server
            // What failed alone, and time does not heal, fails again.
            return inputs.map { _ in isShared || inputs.count == 1 && !isTransient ? .failed(error) : .alone }
        }
    }

    /// Removes the continuation of the group's leader, to resume it outside the lock.
    private static func leader(
        of group: Queue.Group?, _ state: inout State
    ) -> (CheckedContinuation<Call, Never>, Queue.Group)? {
        guard let group, let leader = group.inputs.first, let call = state.inputs[leader]?.call else { return nil }
        state.inputs[leader]?.call = nil
        return (call, group)
    }
}
