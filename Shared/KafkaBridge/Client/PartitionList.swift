import CRDKafka

/// librdkafka's list of partitions with offsets, in the cluster's names.
struct PartitionList {
    let names: Namespace

    func partitions(of list: UnsafePointer<rd_kafka_topic_partition_list_t>) -> [TopicPartition] {
        elements(of: list).compactMap { names.partition($0.topic, $0.partition) }
    }

    func offsets(of list: UnsafePointer<rd_kafka_topic_partition_list_t>) -> [TopicPartition: Int64] {
        var offsets: [TopicPartition: Int64] = [:]
        for element in elements(of: list) {
            guard let partition = names.partition(element.topic, element.partition) else { continue }
            offsets[partition] = element.offset
        }
        return offsets
    }

    /// Runs `body` with a list that is freed afterwards.
    func with<Result>(
        _ offsets: [TopicPartition: Int64], _ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> Result
    ) -> Result {
        // Never NULL: librdkafka aborts when memory is out.
        guard let list = rd_kafka_topic_partition_list_new(Int32(offsets.count)) else {
            preconditionFailure("librdkafka returned no partition list")
        }
        defer { rd_kafka_topic_partition_list_destroy(list) }
        for (partition, offset) in offsets.sorted(by: { $0.key < $1.key }) {
            rd_kafka_topic_partition_list_add(list, names.outer(partition.topic), partition.partition)?.pointee.offset =
                offset
        }
        return body(list)
    }

    /// A list without offsets, for calls that ignore or fill them in.
    func with<Result>(
        _ partitions: [TopicPartition], _ body: (UnsafeMutablePointer<rd_kafka_topic_partition_list_t>) -> Result
    ) -> Result {
        with(Dictionary(partitions.map { ($0, Int64(RD_KAFKA_OFFSET_INVALID)) }) { first, _ in first }, body)
    }

    private func elements(
        of list: UnsafePointer<rd_kafka_topic_partition_list_t>
    ) -> UnsafeBufferPointer<rd_kafka_topic_partition_t> {
        UnsafeBufferPointer(start: list.pointee.elems, count: Int(list.pointee.cnt))
    }
}

extension Namespace {
    /// A partition as librdkafka names it; `nil` when its topic belongs to another namespace.
    func partition(_ topic: UnsafePointer<CChar>, _ partition: Int32) -> TopicPartition? {
        inner(String(cString: topic)).map { TopicPartition($0, partition) }
    }
}
