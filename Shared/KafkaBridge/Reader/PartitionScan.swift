import CRDKafka
import OrchardServiceKit

/// One pass over a range of a partition with librdkafka's simple consumer, which knows no groups.
struct PartitionScan: ~Copyable {
    private let handle: ClientHandle
    private let partition: TopicPartition
    private let topic: OpaquePointer
    private let queue: OpaquePointer
    private let end: Int64
    private var isAtEnd = false

    init(_ handle: ClientHandle, _ partition: TopicPartition, from start: Int64, to end: Int64) throws(KafkaError) {
        guard let topic = rd_kafka_topic_new(handle.client, handle.names.outer(partition.topic), nil),
            let queue = rd_kafka_queue_new(handle.client)
        else { throw KafkaError(rd_kafka_last_error(), "opening \(partition)") }
        guard rd_kafka_consume_start_queue(topic, partition.partition, start, queue) == 0 else {
            let error = rd_kafka_last_error()
            rd_kafka_queue_destroy(queue)
            rd_kafka_topic_destroy(topic)
            throw KafkaError(error, "reading \(partition)")
        }
        self.handle = handle
        self.partition = partition
        self.topic = topic
        self.queue = queue
        self.end = end
    }

    deinit {
        rd_kafka_consume_stop(topic, partition.partition)
        rd_kafka_queue_destroy(queue)
        rd_kafka_topic_destroy(topic)
    }

    /// The next records, `nil` after the last; may be empty. Blocks.
    mutating func next(
        _ reader: inout RecordReader, limit: Int, timeout: Duration, logger: Logger
    ) throws(KafkaError) -> [KafkaRecord]? {
        guard !isAtEnd else { return nil }
        var batch: [KafkaRecord] = []
        let deadline = ContinuousClock.now + timeout
        while !isAtEnd, batch.count < limit {
            // Waits for the first record, and a little for those that are on their way behind it: who reads them asks the
            // database once a batch, however small.
            guard let pointer = rd_kafka_queue_poll(queue, batch.isEmpty ? 100 : 5) else {
                handle.drainLog(to: logger)
                if !batch.isEmpty { break }
                guard !Task.isCancelled else { throw BlockingCall.cancelled }
                guard ContinuousClock.now < deadline else {
                    throw KafkaError(
                        .timedOut, "reading \(partition): nothing came for \(timeout)", isTransient: true)
                }
                continue
            }
            let event = KafkaEvent(pointer)
            switch event.type {
            case RD_KAFKA_EVENT_FETCH:
                while let message = event.nextMessage() { try add(message, &reader, &batch) }
            case RD_KAFKA_EVENT_ERROR: try failed(event.error, event.errorText)
            default: break
            }
        }
        return batch
    }

    private mutating func add(
        _ message: UnsafePointer<rd_kafka_message_t>, _ reader: inout RecordReader, _ batch: inout [KafkaRecord]
    ) throws(KafkaError) {
        guard message.pointee.err == RD_KAFKA_RESP_ERR_NO_ERROR else {
            return try failed(message.pointee.err, "")
        }
        guard message.pointee.offset < end else {
            isAtEnd = true
            return
        }
        batch.append(reader.record(message, of: reader.partition(message.pointee)))
        if message.pointee.offset == end - 1 { isAtEnd = true }
    }

    private mutating func failed(_ error: rd_kafka_resp_err_t, _ text: String) throws(KafkaError) {
        let code = KafkaError.Code(rawValue: error.rawValue)
        if code == .endOfPartition {
            isAtEnd = true
        } else if !BrokerContact.codes.contains(code) {
            throw KafkaError(error, "reading \(partition) \(text)")
        }
    }
}
