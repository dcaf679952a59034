/// Whether a member of a group does its work, and why not: brokers answer, it has its share of the partitions, and each
/// of them can be read.
struct MemberStatus {
    private var hasJoined = false
    private var isReachable = true
    private var reachability = ""
    private var unreadable: [TopicPartition: String] = [:]
    private var trouble: String?

    mutating func joined() {
        hasJoined = true
        trouble = nil
    }

    mutating func left() { hasJoined = false }

    mutating func brokers(reachable: Bool, _ reason: String) {
        isReachable = reachable
        reachability = reason
    }

    mutating func cannotRead(_ partition: TopicPartition, _ reason: String) { unreadable[partition] = reason }

    mutating func gaveBack(_ partitions: [TopicPartition]) {
        for partition in partitions { unreadable[partition] = nil }
    }

    /// Something that stands in the way of joining.
    mutating func blocked(by reason: String) { if !hasJoined { trouble = reason } }

    var isReady: Bool { hasJoined && isReachable && unreadable.isEmpty }

    var reason: String {
        if !isReachable { return reachability }
        if !unreadable.isEmpty {
            return unreadable.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "; ")
        }
        return hasJoined ? "reads its partitions" : trouble ?? KafkaConsumer.firstReason
    }
}
