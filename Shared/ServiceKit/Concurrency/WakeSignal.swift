/// Wakes one loop, from anywhere. Several signals that come while the loop is busy are one.
public struct WakeSignal: Sendable {
    /// For the loop: `for await _ in signal.wakeups`.
    public let wakeups: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    public init() {
        (wakeups, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Wakes the loop, now or when it is back.
    public func wake() { continuation.yield() }

    /// Ends the loop.
    public func finish() { continuation.finish() }
}
