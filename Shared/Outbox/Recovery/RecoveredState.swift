import KafkaBridge
import OrchardPostgres

/// What a service reads back from the log when its database has lost its last transactions.
public protocol RecoveredState: Sendable {
    /// Whether the database holds offsets. Then the log must hold the same records at the same offsets. Otherwise the
    /// log may be read again from its beginning.
    var namesOffsets: Bool { get }

    /// Applies the service's own events of a stream in their order. Known ones change nothing.
    ///
    /// - Parameter connection: in a transaction that holds the partition's watermark.
    func restore(
        _ events: [PublishedEvent], of stream: TopicPartition, on connection: PostgresConnection
    ) async throws

    /// Everything is read back. What is still open may have gone further than the database knows.
    ///
    /// - Parameters:
    ///   - situation: what was known of the partition before.
    ///   - connection: as above; the last transaction before the partition continues.
    func suspect(_ situation: RecoverySituation, on connection: PostgresConnection) async throws
}
