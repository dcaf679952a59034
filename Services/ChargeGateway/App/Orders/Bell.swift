import OrchardServiceKit

/// Wakes one loop, from anywhere; rings that come while it is busy are one.
struct Bell: Sendable {
    let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (rings, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func ring() { continuation.yield() }

    /// Ends the loop.
    func silence() { continuation.finish() }
}
