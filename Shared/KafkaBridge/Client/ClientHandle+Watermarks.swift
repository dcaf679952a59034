import CRDKafka

extension ClientHandle {
    /// Asks the partition's leader; blocks for `milliseconds` at most.
    func watermarks(_ partition: TopicPartition, milliseconds: Int32) throws(KafkaError) -> Watermarks {
        var low: Int64 = 0
        var high: Int64 = 0
        let error = rd_kafka_query_watermark_offsets(
            client, partition.topic, partition.partition, &low, &high, milliseconds)
        guard error == RD_KAFKA_RESP_ERR_NO_ERROR else {
            throw KafkaError(error, "asking for the watermarks of \(partition)")
        }
        return Watermarks(low: low, high: high)
    }
}
