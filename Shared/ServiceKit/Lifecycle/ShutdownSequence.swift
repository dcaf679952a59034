/// Decides how a ``ServiceGroup`` stops: one service after the other, the last of the list first, then by cancellation.
///
/// Pure: it receives events and returns actions.
struct ShutdownSequence {
    enum Input: Equatable {
        /// A signal came, or the surrounding task was requested to shut down.
        case stopAsked
        /// A service's `run()` returned or threw.
        case finished(Int, failed: Bool)
        /// The time for a graceful end is over.
        case deadlinePassed
    }

    enum Action: Equatable {
        case startDeadline
        case requestStop(Int)
        case cancelAll
        case end
    }

    /// Why the group ends with an error.
    enum Fault: Equatable {
        case failed(Int)
        case returnedEarly(Int)
        case tookTooLong([Int])
    }

    private enum State: Equatable {
        case running
        case stopping(current: Int)
        case cancelled
        case ended
    }

    private var state = State.running
    private var alive: Set<Int>
    /// The first fault.
    private(set) var fault: Fault?

    init(count: Int) {
        alive = Set(0..<count)
    }

    var hasBegun: Bool { state != .running }

    mutating func receive(_ input: Input) -> [Action] {
        switch input {
        case .stopAsked:
            switch state {
            case .running: return [.startDeadline] + next()
            // A second request (a second Ctrl-C): the operator does not want to wait.
            case .stopping: return cancel()
            case .cancelled, .ended: return []
            }

        case .finished(let index, let failed):
            alive.remove(index)
            switch state {
            case .running:
                fault = failed ? .failed(index) : .returnedEarly(index)
                return [.startDeadline] + next()
            case .stopping(let current):
                if failed, fault == nil { fault = .failed(index) }
                return alive.isEmpty || index == current ? next() : []
            case .cancelled: return alive.isEmpty ? next() : []
            case .ended: return []
            }

        case .deadlinePassed:
            guard case .stopping = state else { return [] }
            if fault == nil { fault = .tookTooLong(alive.sorted()) }
            return cancel()
        }
    }

    private mutating func next() -> [Action] {
        guard let last = alive.max() else {
            state = .ended
            return [.end]
        }
        state = .stopping(current: last)
        return [.requestStop(last)]
    }

    private mutating func cancel() -> [Action] {
        state = .cancelled
        return [.cancelAll]
    }
}
