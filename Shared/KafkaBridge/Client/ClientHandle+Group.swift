import CRDKafka
import OrchardServiceKit

/// The calls of a group's member; none waits for a broker.
extension ClientHandle {
    private var partitions: PartitionList { PartitionList(names: names) }

    func subscribe(_ topics: [String]) throws(KafkaError) {
        let error = partitions.with(topics.map { TopicPartition($0, -1) }) { rd_kafka_subscribe(client, $0) }
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(error, "subscribing to \(topics.joined(separator: ", "))")
        }
    }

    /// Leaves the group without closing: a revocation follows; ``subscribe(_:)`` joins again.
    func unsubscribe() -> KafkaError? {
        let error = rd_kafka_unsubscribe(client)
        return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "leaving the group for a while")
    }

    /// Answers an assignment, or adds to it. When it returns, librdkafka has stopped what it read before; it begins when no
    /// commit is under way.
    func assign(_ starts: [TopicPartition: Int64], incrementally: Bool) -> KafkaError? {
        defer { settle() }
        return partitions.with(starts) { list in
            if incrementally {
                return KafkaError(consuming: rd_kafka_incremental_assign(client, list), "assigning partitions")
            }
            let error = rd_kafka_assign(client, list)
            return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "assigning partitions")
        }
    }

    /// Answers a revocation, or removes partitions from the assignment. When it returns, librdkafka has stopped them.
    func unassign(_ partitions: [TopicPartition], incrementally: Bool) -> KafkaError? {
        defer { settle() }
        guard incrementally else {
            let error = rd_kafka_assign(client, nil)
            return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "giving partitions back")
        }
        return self.partitions.with(partitions) { list in
            KafkaError(consuming: rd_kafka_incremental_unassign(client, list), "giving partitions back")
        }
    }

    /// Waits until librdkafka's own thread has stopped what an assignment stops: the assignment is taken, partitions that
    /// were read are stopped, their stops are noted. Each query is answered after what was in the thread's queue before it,
    /// and these are three steps. It needs no broker.
    ///
    /// An assignment that stops a partition while the one before still stops it ends the process (librdkafka #5573, an
    /// assertion in rd_kafka_assignment_partition_stopped).
    private func settle() {
        // Then a query can hang (librdkafka #4041), and no further assignment comes.
        guard !isClosing.withLock({ $0 }) else { return }
        for _ in 0..<3 {
            var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
            guard rd_kafka_assignment(client, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
            if let list { rd_kafka_topic_partition_list_destroy(list) }
        }
    }

    /// Whether the partitions of the current revocation belong to another member already.
    var isAssignmentLost: Bool { rd_kafka_assignment_lost(client) != 0 }

    func pause(_ partition: TopicPartition) {
        _ = partitions.with([partition]) { rd_kafka_pause_partitions(client, $0) }
    }

    func resume(_ partition: TopicPartition) {
        _ = partitions.with([partition]) { rd_kafka_resume_partitions(client, $0) }
    }

    /// Commits; the answer comes as an event.
    func commit(_ offsets: [TopicPartition: Int64]) -> KafkaError? {
        let error = partitions.with(offsets) { rd_kafka_commit_queue(client, $0, queue, nil, nil) }
        return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "committing")
    }

    /// The end of a partition's log in the last fetch, `nil` when there was none.
    func knownHighWatermark(_ partition: TopicPartition) -> Int64? {
        var low: Int64 = 0
        var high: Int64 = 0
        let error = rd_kafka_get_watermark_offsets(
            client, names.outer(partition.topic), partition.partition, &low, &high)
        return error == RD_KAFKA_RESP_ERR_NO_ERROR && high >= 0 ? high : nil
    }

    /// Begins to leave the group; rebalance events go on until ``isClosed``.
    func close() -> KafkaError? {
        isClosing.withLock { $0 = true }
        return KafkaError(consuming: rd_kafka_consumer_close_queue(client, queue), "leaving the group")
    }

    var isClosed: Bool { rd_kafka_consumer_closed(client) != 0 }
}
