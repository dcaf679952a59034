import KafkaBridge

struct Refused: Error {}

/// Refuses the start of one partition until that is mended.
struct RefusingObserver: RebalanceObserver {
    let refused: TopicPartition
    let isMended: Recorder<Bool>

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        if partitions.contains(refused), await !isMended.state { throw Refused() }
        return Dictionary(uniqueKeysWithValues: partitions.map { ($0, 0) })
    }
}

/// Stands behind the end of the log at first, as before the log lost records.
struct MovingObserver: RebalanceObserver {
    let asked: Recorder<Int>

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        guard partitions.contains(where: { $0.partition == 0 }) else { return [:] }
        let isFirst = await asked.state == 0
        await asked.update { $0 += 1 }
        return Dictionary(uniqueKeysWithValues: partitions.map { ($0, isFirst ? 1_000 : 0) })
    }
}

/// Never finds a start, as with a database that hangs.
struct HangingObserver: RebalanceObserver {
    let asked: Recorder<Int>

    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] {
        await asked.update { $0 += 1 }
        try await Task.sleep(for: .seconds(3600))
        return [:]
    }
}

struct FixedOffsets: RebalanceObserver {
    let offsets: [TopicPartition: Int64]
    func offsets(for partitions: [TopicPartition]) async throws -> [TopicPartition: Int64] { offsets }
}
