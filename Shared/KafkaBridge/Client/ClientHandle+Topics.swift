import CRDKafka

/// The cluster's metadata of a topic.
struct TopicShape: Equatable {
    var partitions: Int32
    /// Whether each partition has a leader and can be written and read.
    var isLed: Bool
}

extension ClientHandle {
    /// Reads the metadata of all topics of the namespace; creates none. Blocks for `milliseconds` at most.
    func topics(milliseconds: Int32) throws(KafkaError) -> [String: TopicShape] {
        var found: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client, 1, nil, &found, milliseconds)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let found else {
            throw unanswered(error, "asking for the topics")
        }
        defer { rd_kafka_metadata_destroy(found) }
        var shapes: [String: TopicShape] = [:]
        for topic in UnsafeBufferPointer(start: found.pointee.topics, count: Int(found.pointee.topic_cnt))
        where topic.err == RD_KAFKA_RESP_ERR_NO_ERROR {
            guard let name = names.inner(String(cString: topic.topic)) else { continue }
            let partitions = UnsafeBufferPointer(start: topic.partitions, count: Int(topic.partition_cnt))
            shapes[name] = TopicShape(
                partitions: topic.partition_cnt, isLed: partitions.allSatisfy { $0.leader >= 0 })
        }
        return shapes
    }

    /// Whether one of the brokers is the controller. The mock cluster names one that is not there, and librdkafka would
    /// wait for it. Blocks for `milliseconds` at most.
    func hasController(milliseconds: Int32) throws(KafkaError) -> Bool {
        var found: UnsafePointer<rd_kafka_metadata>?
        let error = rd_kafka_metadata(client, 0, nil, &found, milliseconds)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR, let found else {
            throw unanswered(error, "asking for the controller")
        }
        defer { rd_kafka_metadata_destroy(found) }
        // Known from the answer; no broker has a negative number.
        let controller = rd_kafka_controllerid(client, 0)
        return UnsafeBufferPointer(start: found.pointee.brokers, count: Int(found.pointee.broker_cnt))
            .contains { $0.id == controller }
    }
}
