import Foundation

/// What a child process has written and how it ended.
final class ChildRecord: @unchecked Sendable {
    // @unchecked: all variables are only touched while `condition` is held.
    private let condition = NSCondition()
    private var written: [UInt8] = []
    private var ending: Int32?
    private var waiting: [CheckedContinuation<Int32, Never>] = []

    /// The exit status; nil while it runs.
    var status: Int32? { condition.withLock { ending } }

    /// What it wrote, without the lines that were taken.
    var output: [UInt8] { condition.withLock { written } }

    /// Runs `body` unless the process has ended: until then its number is no other process's.
    func whileItRuns(_ body: () -> Void) {
        condition.withLock { if ending == nil { body() } }
    }

    func add(_ bytes: ArraySlice<UInt8>) {
        condition.withLock {
            written += bytes
            condition.broadcast()
        }
    }

    /// - Parameter reap: takes the exit status of the ended process, whose number is free afterwards.
    func end(_ reap: () -> Int32) {
        let (status, waiting) = condition.withLock {
            let status = reap()
            ending = status
            condition.broadcast()
            defer { self.waiting = [] }
            return (status, self.waiting)
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }

    func ended() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = condition.withLock {
                if ending == nil { waiting.append(continuation) }
                return ending
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Waits on the calling thread for the end; nil when the time is over.
    func statusBlocking(until deadline: ContinuousClock.Instant) -> Int32? {
        blocking(until: deadline) { ending }
    }

    /// Waits on the calling thread for a line and takes it; nil when the time is over or the process has ended.
    func lineBlocking(until deadline: ContinuousClock.Instant) -> String? {
        blocking(until: deadline) { () -> String?? in
            guard let end = written.firstIndex(of: UInt8(ascii: "\n")) else {
                return ending == nil ? .none : .some(nil)
            }
            defer { written.removeSubrange(...end) }
            return .some(String(decoding: written[..<end], as: UTF8.self))
        } ?? nil
    }

    private func blocking<Value>(until deadline: ContinuousClock.Instant, _ value: () -> Value?) -> Value? {
        condition.withLock {
            while true {
                if let value = value() { return value }
                let left = deadline - .now
                guard left > .zero else { return nil }
                _ = condition.wait(until: Date(timeIntervalSinceNow: left / .seconds(1)))
            }
        }
    }
}
