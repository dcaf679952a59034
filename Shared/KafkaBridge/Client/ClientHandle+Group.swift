import CRDKafka

/// The calls of a group's member; each returns at once.
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

    /// Answers an assignment, or adds to it.
    func assign(_ starts: [TopicPartition: Int64], incrementally: Bool) -> KafkaError? {
        partitions.with(starts) { list in
            if incrementally {
                return KafkaError(consuming: rd_kafka_incremental_assign(client, list), "assigning partitions")
            }
            let error = rd_kafka_assign(client, list)
            return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "assigning partitions")
        }
    }

    /// Answers a revocation, or removes partitions from the assignment.
    func unassign(_ partitions: [TopicPartition], incrementally: Bool) -> KafkaError? {
        guard incrementally else {
            let error = rd_kafka_assign(client, nil)
            return error == RD_KAFKA_RESP_ERR_NO_ERROR ? nil : KafkaError(error, "giving partitions back")
        }
        return self.partitions.with(partitions) { list in
            KafkaError(consuming: rd_kafka_incremental_unassign(client, list), "giving partitions back")
        }
    }

    /// Whether the partitions of the current revocation belong to another member already.
    var isAssignmentLost: Bool { rd_kafka_assignment_lost(client) != 0 }

    /// Waits until librdkafka's own thread has carried out the last assignment: partitions that were read are stopped, their
    /// stops are noted, the new ones are begun. Each query is answered after what was in the thread's queue before it, and
    /// these are three steps. It needs no broker.
    ///
    /// librdkafka 2.0.2 ends the process when an assignment stops a partition that the one before is still stopping (an
    /// assertion in rd_kafka_assignment_partition_stopped), or never reads it again.
    ///
    /// Not while it closes: then a query can hang (librdkafka #4041).
    func settle() {
        for _ in 0..<3 {
            var list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?
            guard rd_kafka_assignment(client, &list) == RD_KAFKA_RESP_ERR_NO_ERROR else { return }
            if let list { rd_kafka_topic_partition_list_destroy(list) }
        }
    }

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
        KafkaError(consuming: rd_kafka_consumer_close_queue(client, queue), "leaving the group")
    }

    var isClosed: Bool { rd_kafka_consumer_closed(client) != 0 }
}
