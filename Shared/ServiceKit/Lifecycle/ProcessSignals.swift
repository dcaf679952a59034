import Foundation
import Synchronization

/// Unix signals as asynchronous sequences.
///
/// A signal handler may do very little, so it writes the number into a pipe. An own thread reads the pipe and delivers
/// the number. (With `sigwait`, every thread of the process would have to block the signals, and threads of the pool
/// may run already.)
enum ProcessSignals {
    /// The given signals, from now until the iterating task is cancelled. Meanwhile they do not kill the process.
    static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        guard !signals.isEmpty else { return AsyncStream { $0.finish() } }
        let (stream, continuation) = AsyncStream<Int32>.makeStream(bufferingPolicy: .bufferingNewest(8))
        let id = subscribers.withLock { state -> Int in
            if !state.isReading { state.isReading = startReading() }
            state.nextID += 1
            state.all[state.nextID] = Subscriber(signals: Set(signals), continuation: continuation)
            for number in signals { signal(number, tellPipe) }
            return state.nextID
        }
        continuation.onTermination = { _ in unsubscribe(id) }
        return stream
    }

    private struct Subscriber {
        let signals: Set<Int32>
        let continuation: AsyncStream<Int32>.Continuation
    }

    private struct Subscribers {
        var isReading = false
        var nextID = 0
        var all: [Int: Subscriber] = [:]
    }

    private static let subscribers = Locked(Subscribers())

    private static func unsubscribe(_ id: Int) {
        subscribers.withLock { state in
            guard let gone = state.all.removeValue(forKey: id) else { return }
            for number in gone.signals where !state.all.values.contains(where: { $0.signals.contains(number) }) {
                signal(number, SIG_DFL)
            }
        }
    }

    private static func startReading() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)  // a handler must not block either
        let readEnd = ends[0]
        pipeEnd.store(ends[1], ordering: .releasing)
        let thread = Thread {
            // The process may have inherited a signal mask from its parent: signals must reach at least this thread.
            var none = sigset_t()
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, nil)
            var number: UInt8 = 0
            while true {
                let count = read(readEnd, &number, 1)
                if count == 1 { deliver(Int32(number)) } else if errno != EINTR { return }
            }
        }
        thread.name = "signals"
        thread.start()
        return true
    }

    private static func deliver(_ number: Int32) {
        let waiting = subscribers.withLock { state in
            state.all.values.filter { $0.signals.contains(number) }.map(\.continuation)
        }
        for continuation in waiting { continuation.yield(number) }
    }
}

/// The pipe that the handler writes to. It is set before the first handler is installed, so that the handler
/// initialises nothing.
private let pipeEnd = Atomic<Int32>(-1)

/// The signal handler: only async-signal-safe calls.
private let tellPipe: @convention(c) (Int32) -> Void = { number in
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(pipeEnd.load(ordering: .acquiring), &byte, 1)
    errno = saved
}
