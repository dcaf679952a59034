import Contracts
import OrchardPostgres
import OrchardServiceKit

/// Performs steps in groups, each by the task of the step that leads it.
final class StepGroups: Sendable {
    /// What wakes a waiting step.
    private enum Call: Sendable {
        case lead(StepQueue.Group)
        case answer(OrderStep.Result)
    }

    private struct Waiting {
        let step: OrderStep
        var call: CheckedContinuation<Call, Never>?
    }

    private struct State {
        var queue: StepQueue
        var steps: [StepQueue.ID: Waiting] = [:]
        var lastID = 0
    }

    private let state: Locked<State>

    init(_ limits: StepQueue.Limits = StepQueue.Limits()) {
        state = Locked(State(queue: StepQueue(limits)))
    }

    /// Performs a step, with others that wait.
    ///
    /// - Parameter commit: performs the steps of a group in one transaction and gives a result for each.
    func perform(
        _ step: OrderStep, _ commit: ([OrderStep]) async throws -> [OrderStep.Result]
    ) async throws -> OrderStep.Result {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let call = await withTaskCancellationHandler {
            await withCheckedContinuation { call in
                let leader = state.withLock { state -> (CheckedContinuation<Call, Never>, StepQueue.Group)? in
                    state.steps[id] = Waiting(step: step, call: call)
                    return Self.leader(of: state.queue.add(id, of: step.place.order), &state)
                }
                if let (call, group) = leader { call.resume(returning: .lead(group)) }
                // A cancellation before this point found nothing to answer.
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
        switch call {
        case .answer(let result): return result
        case .lead(let group): return await lead(group, commit)
        }
    }

    private func cancel(_ id: StepQueue.ID) {
        let call = state.withLock { state in
            state.queue.cancel(id) ? state.steps.removeValue(forKey: id)?.call : nil
        }
        call?.resume(returning: .answer(.failed(CancellationError())))
    }

    private func lead(
        _ group: StepQueue.Group, _ commit: ([OrderStep]) async throws -> [OrderStep.Result]
    ) async -> OrderStep.Result {
        let steps = state.withLock { state in group.steps.compactMap { state.steps[$0]?.step } }
        let results = await results(of: steps, commit)
        let (calls, next) = state.withLock { state in
            let calls = group.steps.map { state.steps.removeValue(forKey: $0)?.call }
            return (calls, Self.leader(of: state.queue.end(group), &state))
        }
        if let (call, group) = next { call.resume(returning: .lead(group)) }
        for (call, result) in zip(calls, results).dropFirst() { call?.resume(returning: .answer(result)) }
        return results[0]
    }

    /// An unreachable database fails all steps. A statement that the database refuses may be one order's fault: each step is
    /// tried alone then.
    private func results(
        of steps: [OrderStep], _ commit: ([OrderStep]) async throws -> [OrderStep.Result]
    ) async -> [OrderStep.Result] {
        do {
            let results = try await commit(steps)
            precondition(results.count == steps.count, "each step has its own result")
            return results
        } catch {
            let isShared = (error as? PostgresError).map { $0.code != .server && $0.isTransient } ?? false
            return steps.map { _ in isShared ? .failed(error) : .alone }
        }
    }

    /// Removes the continuation of the group's leader, to resume it outside the lock.
    private static func leader(
        of group: StepQueue.Group?, _ state: inout State
    ) -> (CheckedContinuation<Call, Never>, StepQueue.Group)? {
        guard let group, let leader = group.steps.first, let call = state.steps[leader]?.call else { return nil }
        state.steps[leader]?.call = nil
        return (call, group)
    }
}
