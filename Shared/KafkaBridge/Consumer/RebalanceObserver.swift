/// Knows where to begin each partition and whether this member can work, and hears when partitions go.
public protocol RebalanceObserver: Sendable {
    /// The offsets to begin at, from the database that holds the effects.
    ///
    /// Asked for each partition by itself, after the group's rebalance is answered: one that cannot begin holds up no
    /// other. Asked again after an error, and when a handler's error was not transient. A partition that is left out
    /// begins at the group's committed offset, and when there is none nothing is read and an alarm is raised.
    /// - Throws: when the partition cannot or must not be processed; the reason is told, and it is asked again later.
    ///   Cancelled when the partition is to leave.
    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64]

    /// What keeps this member from all work, for example that its database does not answer; nil when nothing does.
    ///
    /// Asked when work has stood still for a while: with an obstacle the member leaves its group, so that others take its
    /// partitions, and comes back when the obstacle is gone.
    func obstacle() async -> String?

    /// The partitions are about to leave: no handler is working on them any more and what is done is committed.
    ///
    /// - Parameter lost: they belong to somebody else already.
    func willRevoke(_ partitions: [TopicPartition], lost: Bool) async
}

extension RebalanceObserver {
    /// Nothing.
    public func obstacle() async -> String? { nil }
    /// Does nothing.
    public func willRevoke(_ partitions: [TopicPartition], lost: Bool) async {}
}
