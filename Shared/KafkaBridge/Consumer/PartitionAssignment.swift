/// One time that one partition is owned: the work on it, and the stamp that tells it from the next time.
struct PartitionAssignment: Hashable, Sendable {
    var partition: TopicPartition
    var generation: Int
}
