import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import Outbox

/// Restores the published prices of the orders that the API has, and erases again what was erased. The fold restores the
/// books from the restored watermark on, and with them the orders that the API does not have; webhooks that the lost
/// database has sent are not sent again. Checks that the books are a beginning of this log.
struct LedgerRecovery: RecoveredState {
    let reader: KafkaReader

    /// A fact's place in the books is its offset.
    var namesOffsets: Bool { true }

    func restore(
        _ events: [PublishedEvent], of stream: TopicPartition, on connection: PostgresConnection
    ) async throws {
        switch stream.topic {
        case Topic.journal.name: try await restoreOffers(events, of: stream.partition, on: connection)
        case Topic.erasures.name: try await restoreErasures(events, of: stream.partition, on: connection)
        default: break
        }
    }

    private func restoreErasures(
        _ events: [PublishedEvent], of partition: Int32, on connection: PostgresConnection
    ) async throws {
        for event in events.compactMap(\.event) where event.type == ContactErased.type {
            _ = try await ContactStore.erase(event.subject, in: partition, on: connection)
        }
    }

    private func restoreOffers(
        _ events: [PublishedEvent], of partition: Int32, on connection: PostgresConnection
    ) async throws {
        var published: [OfferFact] = []
        for event in events {
            if let offer = try event.fact(of: LedgerSchema.inbox.program)?.offerFact { published.append(offer) }
        }
        try await OfferStore.restore(published, of: partition, on: connection)
    }

    func suspect(_ situation: RecoverySituation, on connection: PostgresConnection) async throws {
        let partition = situation.partition
        try await checkEnd(of: partition, on: connection)
        // What a promoted standby has lost is told again, under the same id.
        if situation.need == .person {
            try await WebhookStore.setBegin(
                of: partition, to: situation.committed ?? situation.high, on: connection)
        }
    }

    private func checkEnd(of partition: Int32, on connection: PostgresConnection) async throws {
        let rows = try await connection.query(
            """
            SELECT "offset" AS place, \(JournalRecord.columns) FROM ledger.facts
            WHERE partition = $1 ORDER BY "offset" DESC LIMIT 1
            """, [partition])
        guard let row = rows.first else { return }
        let place = try row.int64("place")
        let stored = try JournalRecord(row, at: JournalPosition(partition: partition, offset: place))
        guard let stored else {
            throw StoreError(
                .malformed, at: "ledger.facts \(partition)/\(place)",
                "the last record of the books cannot be read any more: its row was changed. Run order-ledger audit, and "
                    + "restore another backup")
        }
        guard try await holds(stored.value, at: place, TopicPartition(LedgerSchema.inbox.topic, partition)) else {
            throw StoreError(
                .malformed, at: "ledger.facts \(partition)/\(place)",
                "the journal has another record at this offset than the books: they do not belong to this log. Restore "
                    + "a backup of this ledger, or give it an empty database")
        }
    }

    /// Whether the log holds a record, or may have held it before retention deleted it.
    private func holds(_ value: [UInt8], at offset: Int64, _ partition: TopicPartition) async throws -> Bool {
        let ends = try await reader.watermarks(partition)
        let record = LastRecord(offset: offset, value: value)
        return try await record.isThere(in: partition, ends, reader) ?? (offset < ends.low)
    }
}
