/// Knows where to begin each partition and whether this member can work. It is called when partitions leave.
public protocol RebalanceObserver: Sendable {
    /// The offsets to begin at, from the database that holds the effects.
    ///
    /// Called for each partition by itself, after the group's rebalance is answered: one that cannot begin delays no
    /// other. Called again after an error, and when a handler's error was not transient. A partition that is left out
    /// begins at the group's committed offset, and when there is none nothing is read and an alarm is raised.
    /// - Throws: when the partition cannot or must not be processed; the reason is reported, and it is called again
    ///   later. Cancelled when the partition is to leave.
    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64]

    /// Why this member cannot work at all, for example because its database does not answer; nil when it can.
    ///
    /// Called after a while without progress. With an obstacle the member leaves its group, so that others get its
    /// partitions, and joins again when the obstacle has ended.
    func obstacle() async -> String?

    /// The partitions are about to leave: no handler works on them any more, and what is processed is committed.
    ///
    /// - Parameter lost: they belong to another member already.
    func willRevoke(_ partitions: [TopicPartition], lost: Bool) async
}

extension RebalanceObserver {
    /// Nothing.
    public func obstacle() async -> String? { nil }
    /// Does nothing.
    public func willRevoke(_ partitions: [TopicPartition], lost: Bool) async {}
}
