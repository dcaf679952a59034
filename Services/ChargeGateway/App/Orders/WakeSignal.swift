import OrchardServiceKit

/// Wakes one loop, from anywhere; rings that come while it is busy are one.
struct WakeSignal: Sendable {
    let wakeups: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (wakeups, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func wake() { continuation.yield() }

    /// Ends the loop.
    func finish() { continuation.finish() }
}
