import OrchardServiceKit

/// How far a process has taken each partition: a watermark that is behind that was set back by a recovery, and what lies
/// between must be read again.
public final class TakenOffsets: Sendable {
    private let inbox: Inbox
    private let ends = Locked<[Int32: Int64]>([:])

    public init(_ inbox: Inbox) { self.inbox = inbox }

    /// - Parameter next: the watermark, locked.
    /// - Throws: `InboxError` when the partition must begin anew; the next check passes.
    public func check(_ partition: Int32, next: Int64) throws {
        guard let end = ends.withLock({ $0[partition] }), next < end else { return }
        ends.withLock { $0[partition] = nil }
        throw inbox.error(
            .movedBack,
            "the watermark went back from \(end) to \(next) with a promoted standby: reading again from there",
            partition)
    }

    /// Everything below `end` is committed.
    public func taken(_ partition: Int32, to end: Int64) { ends.withLock { $0[partition] = end } }
}
