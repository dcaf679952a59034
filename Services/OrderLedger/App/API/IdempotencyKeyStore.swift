import Contracts
import OrchardPostgres
import Outbox

/// The order that an idempotency key opened, and its number of partitions. The first request fixes both, whatever other
/// instances are configured with.
struct IdempotencyKeyStore: Sendable {
    /// Fixes the orders of keys, before any row of the orders is written.
    ///
    /// It fails with a unique violation when a key is known. Two concurrent requests wait here for each other.
    func insertion(of keys: [IdempotencyKey], _ orders: [OfferedOrder], at times: [Timestamp]) -> Write {
        Write(
            """
            INSERT INTO ledger.idempotency_keys (slot, merchant_id, key, order_id, partitions, created_at)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::text[], $4::uuid[], $5::integer[], $6::timestamptz[])
            """,
            [
                keys.map(\.slot), keys.map(\.merchant), keys.map(\.text), orders.map(\.id), orders.map(\.partitions),
                times.map(\.postgres),
            ], rows: keys.count)
    }

    /// The statement that reads the orders of those keys that are known.
    func search(for keys: [IdempotencyKey]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT k.order_id FROM unnest($1::integer[], $2::uuid[], $3::text[]) AS wanted(slot, merchant, key)
                CROSS JOIN LATERAL (SELECT order_id FROM ledger.idempotency_keys
                    WHERE slot = wanted.slot AND merchant_id = wanted.merchant AND key = wanted.key OFFSET 0) AS k
            """, [keys.map(\.slot), keys.map(\.merchant), keys.map(\.text)])
    }

    /// The order that a key opened; nil when the key is new.
    func order(of key: IdempotencyKey, on connection: PostgresConnection) async throws -> OrderID? {
        try await connection.query(
            "SELECT order_id FROM ledger.idempotency_keys WHERE slot = $1 AND merchant_id = $2 AND key = $3",
            [key.slot, key.merchant, key.text]
        ).first.map { try $0.identifier("order_id") }
    }
}
