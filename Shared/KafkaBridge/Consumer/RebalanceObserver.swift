/// Knows where to begin each partition, and hears when partitions go.
public protocol RebalanceObserver: Sendable {
    /// The offsets to begin at, from the database that holds the effects.
    ///
    /// Called before the partitions are assigned; while it waits the member stays in its group. A partition that is left
    /// out begins at the group's committed offset, and when there is none nothing is read and an alarm is raised.
    /// - Throws: when the partitions must not be processed; ``KafkaConsumer/run(perPartition:)`` ends with that error.
    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64]

    /// The partitions are about to leave: no handler is working on them any more and what is done is committed.
    ///
    /// - Parameter lost: they belong to somebody else already.
    func willRevoke(_ partitions: [TopicPartition], lost: Bool) async
}

extension RebalanceObserver {
    /// Does nothing.
    public func willRevoke(_ partitions: [TopicPartition], lost: Bool) async {}
}
