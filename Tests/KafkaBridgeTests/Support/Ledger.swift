import KafkaBridge

/// Stands for the database of a service: what was processed, how far, and what the observer heard.
struct Ledger: Sendable {
    var values: [TopicPartition: [String]] = [:]
    var offsets: [TopicPartition: [Int64]] = [:]
    var next: [TopicPartition: Int64] = [:]
    var revoked: [TopicPartition] = []
    var lost: [TopicPartition] = []
    var assigned: [[TopicPartition]] = []
    /// Which member holds a partition now.
    var owners: [TopicPartition: String] = [:]

    /// How many partitions each member holds, the fewest first.
    var shares: [Int] { Dictionary(grouping: owners.values) { $0 }.values.map(\.count).sorted() }

    var count: Int { offsets.values.reduce(0) { $0 + $1.count } }

    mutating func book(_ batch: PartitionBatch) {
        values[batch.topicPartition, default: []] += batch.records.map { String(decoding: $0.value, as: UTF8.self) }
        offsets[batch.topicPartition, default: []] += batch.records.map(\.offset)
        next[batch.topicPartition] = batch.nextOffset
    }
}

/// Begins where the ledger is, or at 0, as a service does with its watermark row.
struct LedgerObserver: RebalanceObserver {
    let ledger: Recorder<Ledger>
    /// Which member of the group it belongs to.
    var member = "only"
    /// Asked with the partitions that are about to leave.
    var onRevoke: @Sendable ([TopicPartition], Bool) async -> Void = { _, _ in }
    /// What keeps it from all work.
    var obstacleOf: @Sendable () async -> String? = { nil }

    func obstacle() async -> String? { await obstacleOf() }

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        let next = await ledger.state.next
        await ledger.update {
            $0.assigned.append(partitions)
            for partition in partitions { $0.owners[partition] = member }
        }
        return Dictionary(uniqueKeysWithValues: partitions.map { ($0, next[$0] ?? 0) })
    }

    func willRevoke(_ partitions: [TopicPartition], lost: Bool) async {
        await onRevoke(partitions, lost)
        await ledger.update {
            if lost { $0.lost += partitions } else { $0.revoked += partitions }
            for partition in partitions where $0.owners[partition] == member { $0.owners[partition] = nil }
        }
    }
}

/// Knows nothing: the group's committed offsets count.
struct NoOffsets: RebalanceObserver {
    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] { [:] }
}
