/// Whether a member of a group does its work, and why not: brokers answer, it has its share of the partitions, and each
/// of them is read and processed.
struct MemberStatus {
    /// Partitions whose reasons are shown; the others are counted.
    private static let shown = 5

    private var hasJoined = false
    private var isReachable = true
    private var reachability = ""
    private var unreadable: [TopicPartition: String] = [:]
    /// Those of which records may have been passed over: they stay so until they leave.
    private var damaged: Set<TopicPartition> = []
    /// Partitions of which nothing comes, though they were read anew.
    private var silent: Set<TopicPartition> = []
    private var failing: [TopicPartition: String] = [:]
    private var starting: Set<TopicPartition> = []
    /// Whether all its partitions had begun once: a later rebalance is no news.
    private var hasBegun = false
    private var absence: String?
    private var trouble: String?

    mutating func joined() {
        hasJoined = true
        trouble = nil
    }

    mutating func brokers(reachable: Bool, _ reason: String) {
        isReachable = reachable
        reachability = reason
    }

    mutating func starts(_ partition: TopicPartition) { starting.insert(partition) }

    mutating func began(_ partition: TopicPartition) {
        starting.remove(partition)
        if starting.isEmpty { hasBegun = true }
    }

    /// - Parameter mayPass: whether nothing is passed over: what comes later proves that it is read again.
    mutating func cannotRead(_ partition: TopicPartition, _ reason: String, mayPass: Bool) {
        unreadable[partition] = reason
        if !mayPass { damaged.insert(partition) }
    }

    func isUnreadable(_ partition: TopicPartition) -> Bool { unreadable[partition] != nil }

    mutating func fallsSilent(_ partition: TopicPartition) { silent.insert(partition) }

    /// A record came, or the word that there is none: librdkafka goes on by itself after most errors.
    ///
    /// - Returns: whether it could not be read before.
    mutating func reads(_ partition: TopicPartition) -> Bool {
        if !silent.isEmpty { silent.remove(partition) }
        return !unreadable.isEmpty && !damaged.contains(partition)
            && unreadable.removeValue(forKey: partition) != nil
    }

    /// - Returns: whether that is new.
    mutating func fails(_ partition: TopicPartition, _ reason: String) -> Bool {
        failing.updateValue(reason, forKey: partition) != reason
    }

    mutating func works(_ partition: TopicPartition) { failing[partition] = nil }

    mutating func gaveBack(_ partitions: [TopicPartition]) {
        for partition in partitions {
            unreadable[partition] = nil
            damaged.remove(partition)
            silent.remove(partition)
            failing[partition] = nil
            starting.remove(partition)
        }
    }

    /// The member has left its group until an obstacle ends, or is about to join again.
    mutating func goesAway(because reason: String?) {
        absence = reason
        hasJoined = false
    }

    /// Something that stands in the way of joining.
    mutating func blocked(by reason: String) { if !hasJoined { trouble = reason } }

    var isReady: Bool {
        hasJoined && isReachable && absence == nil && unreadable.isEmpty && silent.isEmpty && failing.isEmpty
            && (hasBegun || starting.isEmpty)
    }

    var reason: String {
        if !isReachable { return reachability }
        if let absence { return "left the group until it can work again: \(absence)" }
        let quiet = silent.map { ($0, "nothing comes of it, though it was read anew") }
        let stopped = unreadable.merging(failing) { $1 }.merging(quiet) { first, _ in first }.sorted { $0.key < $1.key }
            .map { "\($0.key): \($0.value)" }
        guard stopped.isEmpty else {
            let more = stopped.count > Self.shown ? "; and \(stopped.count - Self.shown) more" : ""
            return stopped.prefix(Self.shown).joined(separator: "; ") + more
        }
        return hasJoined && starting.isEmpty ? "reads its partitions" : trouble ?? KafkaConsumer.firstReason
    }
}
