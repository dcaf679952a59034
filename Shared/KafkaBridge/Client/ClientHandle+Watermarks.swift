import CRDKafka
import Foundation

extension ClientHandle {
    /// Queries the partition's leader; waits for one when the partition is new or its leader moves. Blocks for four
    /// times `milliseconds` at most.
    func watermarks(_ partition: TopicPartition, milliseconds: Int32) throws(KafkaError) -> Watermarks {
        let deadline = ContinuousClock.now + .milliseconds(milliseconds)
        while true {
            let failure: KafkaError
            do throws(KafkaError) {
                return Watermarks(
                    low: try end(Int64(RD_KAFKA_OFFSET_BEGINNING), of: partition, milliseconds: milliseconds),
                    high: try end(Int64(RD_KAFKA_OFFSET_END), of: partition, milliseconds: milliseconds))
            } catch {
                failure = error
            }
            // Only the metadata say that a partition does not exist.
            let count = try topics(milliseconds: milliseconds)[partition.topic]?.partitions ?? 0
            guard partition.partition < count else {
                throw KafkaError(.unknownTopicOrPartition, "\(partition) does not exist")
            }
            guard failure.isTransient, ContinuousClock.now < deadline else { throw failure }
            // The caller may block.
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// One end of the log. `rd_kafka_query_watermark_offsets` returns both, but does not keep its time limit: a broker
    /// that hangs holds it for minutes.
    private func end(_ end: Int64, of partition: TopicPartition, milliseconds: Int32) throws(KafkaError) -> Int64 {
        let context = "asking for the watermarks of \(partition)"
        return try PartitionList(names: names).with([partition: end]) { list -> Result<Int64, KafkaError> in
            let error = rd_kafka_offsets_for_times(client, list, milliseconds)
            guard error == RD_KAFKA_RESP_ERR_NO_ERROR else { return .failure(KafkaError(error, context)) }
            let answer = list.pointee.elems[0]
            guard answer.err == RD_KAFKA_RESP_ERR_NO_ERROR else { return .failure(KafkaError(answer.err, context)) }
            // Left as it was: there was no answer in time.
            guard answer.offset >= 0 else { return .failure(KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, context)) }
            return .success(answer.offset)
        }.get()
    }
}
