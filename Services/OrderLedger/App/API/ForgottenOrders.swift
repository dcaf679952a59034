import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Orders that the books have and the API's tables do not. The database lost the transactions that opened them, and the
/// journal brought the orders back. The shop's request is lost; the order exists.
enum ForgottenOrders {
    /// Reads whether the books are complete enough to decide, and which of the orders they have; for
    /// ``refusals(_:of:)``.
    ///
    /// - Parameter orders: with the partitions that they have, or would have if they were new.
    static func search(for orders: [OfferedOrder]) -> [PostgresStatement] {
        [LedgerSchema.inbox.fence(Set(orders.map(\.partition)).sorted()), search(orders.map(\.id))]
    }

    /// The orders that may not be opened: `InboxError` while the books are behind the log; ``ForgottenOrder`` if they have
    /// the order.
    static func refusals(
        _ results: [PostgresResult], of orders: [OfferedOrder]
    ) throws -> [OrderID: any Error] {
        // A table without its key may have two.
        let watermarks = Dictionary(try results[0].rows.map { (try $0.int32("partition"), $0) }) { first, _ in first }
        var refusals: [OrderID: any Error] = [:]
        for order in orders {
            do { try checkBooks(watermarks[order.partition], order.partition) } catch let error as InboxError {
                refusals[order.id] = error
            }
        }
        for row in results[1].rows {
            let order: OrderID = try row.identifier("order_id")
            refusals[order] = refusals[order] ?? ForgottenOrder()
        }
        return refusals
    }

    /// - Throws: `InboxError` while the books may lack what a lost database had.
    static func checkBooks(_ watermark: PostgresRow?, _ partition: Int32) throws {
        let place = try LedgerSchema.inbox.check(watermark, partition)
        guard try place.int64("next_offset") >= place.int64("mark") else {
            throw InboxError(
                .promoted, "the journal is folded up to where it ended when the database had lost transactions",
                topic: LedgerSchema.inbox.topic, partition: partition)
        }
    }

    /// An order as the books have it, and its partition; nil when they do not know it, or no transaction was ever lost.
    static func find(
        _ order: OrderID, on connection: PostgresConnection
    ) async throws -> (state: OrderState, partition: Int32)? {
        guard let row = try await connection.pipeline([search([order])])[0].rows.first else { return nil }
        let partition = try row.int32("partition")
        let states = try await OrderStore(partition: partition).read([order], on: connection).orders
        guard let state = states.first, !state.offers.isEmpty else { return nil }
        return (state, partition)
    }

    /// The order's prices as they were published, by revision. The books keep only a part of each; its record has the
    /// region, the coupon and the type of card too.
    static func offers(
        of state: OrderState, in partition: Int32, on connection: PostgresConnection
    ) async throws -> [OfferFact] {
        let records = try await connection.query(
            """
            SELECT \(JournalRecord.columns) FROM (
                SELECT "offset", \(JournalRecord.columns) FROM ledger.facts
                WHERE partition = $1 AND order_id = $2 AND \(JournalTables.isTaken) AND event_type IN ($3, $4)
                OFFSET 0) AS f ORDER BY "offset"
            """, [partition, state.id, FactType.orderOpened.text, FactType.orderRepriced.text])
        let published = try records.map { try OfferFact(parsing: $0.recordValue()) }
        // The final lines are no price that a device was offered.
        return try state.offers.filter { $0.revision != state.finalRevision }.map { booked in
            guard let offer = published.first(where: { $0.booked == booked }) else {
                throw StoreError(
                    .malformed, at: "ledger.facts",
                    "order \(state.id) has no record of its price of revision \(booked.revision)")
            }
            return offer
        }
    }

    /// Searches all partitions, because their number may have changed. Only a recovered partition has such orders.
    private static func search(_ orders: [OrderID]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT o.partition, wanted.id AS order_id
            FROM ledger.inbox_watermarks AS w CROSS JOIN unnest($1::uuid[]) AS wanted(id)
                CROSS JOIN LATERAL (SELECT partition FROM ledger.orders
                    WHERE partition = w.partition AND order_id = wanted.id OFFSET 0) AS o
            WHERE w.topic = $2 AND w.mark > 0
            """, [orders, LedgerSchema.inbox.topic])
    }
}

/// Only the books have the order.
struct ForgottenOrder: Error {}
