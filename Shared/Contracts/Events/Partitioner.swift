/// The partition of an order.
///
/// murmur2 of the order id's 32 hex digits with Kafka's seed, so that Kafka's own tools and other languages' default
/// partitioners agree. The number of partitions is fixed when the order is opened and is part of its ticket, so adding
/// partitions later moves no order.
public enum Partitioner {
    /// The partition of `order` among `partitions`.
    public static func partition(of order: OrderID, among partitions: Int32) -> Int32 {
        precondition(partitions > 0, "a topic has at least one partition")
        return Int32(murmur2(Array(order.description.utf8)) & 0x7fff_ffff) % partitions
    }

    /// murmur2 as Kafka's Java client computes it (org.apache.kafka.common.utils.Utils.murmur2).
    static func murmur2(_ data: [UInt8]) -> UInt32 {
        let multiplier: UInt32 = 0x5bd1_e995
        var hash = 0x9747_b28c ^ UInt32(truncatingIfNeeded: data.count)
        let blocks = data.count / 4
        for block in 0..<blocks {
            let start = block * 4
            var word =
                UInt32(data[start]) | UInt32(data[start + 1]) << 8 | UInt32(data[start + 2]) << 16
                | UInt32(data[start + 3]) << 24
            word = word &* multiplier
            word ^= word >> 24
            word = word &* multiplier
            hash = hash &* multiplier
            hash ^= word
        }
        let rest = data[(blocks * 4)...]
        if !rest.isEmpty {
            for (index, byte) in rest.enumerated() { hash ^= UInt32(byte) << UInt32(8 * index) }
            hash = hash &* multiplier
        }
        hash ^= hash >> 13
        hash = hash &* multiplier
        hash ^= hash >> 15
        return hash
    }
}
