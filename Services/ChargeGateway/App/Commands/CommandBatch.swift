import Contracts

/// Consecutive commands of one partition.
struct CommandBatch: Sendable {
    let partition: Int32
    let commands: [IncomingCommand]
    /// Where reading stood before them.
    let start: Int64

    /// The orders that the commands name, each once.
    var places: [OrderStore.Place] {
        Set(commands.compactMap(\.order)).map { OrderStore.Place(order: $0, partition: partition) }
    }
}

/// Batches that name the same order in two partitions cannot share a transaction: one of them is of another writer.
struct OrderInTwoPartitions: Error {}
