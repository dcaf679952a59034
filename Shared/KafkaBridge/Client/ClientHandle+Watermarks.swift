import CRDKafka
import Foundation

extension ClientHandle {
    /// Asks the partition's leader; blocks for about `milliseconds` at most.
    ///
    /// A partition that was asked for before it had a leader stays unknown to librdkafka for as long as it caches the
    /// answer, a quarter of an hour: so the metadata are fetched anew, and only they say that it does not exist.
    func watermarks(_ partition: TopicPartition, milliseconds: Int32) throws(KafkaError) -> Watermarks {
        let deadline = ContinuousClock.now + .milliseconds(Int(milliseconds))
        while true {
            var low: Int64 = 0
            var high: Int64 = 0
            let error = rd_kafka_query_watermark_offsets(
                client, names.outer(partition.topic), partition.partition, &low, &high, milliseconds)
            guard error != RD_KAFKA_RESP_ERR_NO_ERROR else { return Watermarks(low: low, high: high) }
            let failure = KafkaError(error, "asking for the watermarks of \(partition)")
            guard KafkaError.Code.staleMetadata.contains(failure.code), ContinuousClock.now < deadline else {
                throw failure
            }
            let count = try topics(milliseconds: milliseconds)[partition.topic]?.partitions ?? 0
            guard partition.partition < count else {
                throw KafkaError(.unknownTopicOrPartition, "\(partition) does not exist")
            }
            // On the client's own thread, which may block.
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
