import Contracts
import OrchardPostgres
import Outbox

/// The order that an idempotency key opened, and its number of partitions. The first request fixes both, whatever other
/// instances are configured with.
struct IdempotencyKeyStore: Sendable {
    /// Fixes the order of a key, before any row of the order is written.
    ///
    /// It fails with a unique violation when the key is known. Two concurrent requests wait here for each other.
    func insertion(of key: IdempotencyKey, _ order: OfferedOrder, at time: Timestamp) -> Write {
        Write(
            """
            INSERT INTO ledger.idempotency_keys (slot, merchant_id, key, order_id, partitions, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            """,
            [
                key.slot, key.merchant, key.text, order.id, order.partitions, time.postgres,
            ])
    }

    /// The order that a key opened; nil when the key is new.
    func order(of key: IdempotencyKey, on connection: PostgresConnection) async throws -> OrderID? {
        try await connection.query(
            "SELECT order_id FROM ledger.idempotency_keys WHERE slot = $1 AND merchant_id = $2 AND key = $3",
            [key.slot, key.merchant, key.text]
        ).first.map { try $0.identifier("order_id") }
    }
}
