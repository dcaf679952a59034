import Contracts
import Ledger
import OrchardCrypto
import OrchardPostgres
import Outbox

/// Some orders of the API's tables with what was told of them.
struct OfferPage {
    var orders: [OfferAudit] = []
    /// Rows that are none that the API writes.
    var unreadable: [AuditCheck.Finding] = []
    /// The last order; nil when there are no more.
    var end: (partition: Int32, order: String)?

    /// The next orders behind one, in the order of partition and name.
    static func read(
        behind last: (partition: Int32, order: String), limit: Int, on connection: PostgresConnection
    ) async throws -> OfferPage {
        let rows = try await connection.query(
            """
            SELECT * FROM ledger.offered_orders WHERE (partition, order_id) > ($1, $2)
            ORDER BY partition, order_id LIMIT $3
            """, [last.partition, last.order, Int64(limit)])
        var page = OfferPage()
        for (partition, rows) in Dictionary(grouping: rows, by: { (try? $0.int32("partition")) ?? -1 }).sorted(
            by: { $0.key < $1.key })
        {
            try await page.take(rows, of: partition, on: connection)
        }
        page.end = try rows.last.map { (try $0.int32("partition"), try $0.string("order_id")) }
        return page
    }

    private mutating func take(
        _ rows: [PostgresRow], of partition: Int32, on connection: PostgresConnection
    ) async throws {
        let names = try rows.map { try $0.string("order_id") }
        let ids = names.compactMap { OrderID($0) }
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT order_id, revision, shipping_method, total FROM ledger.offers
                WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id, revision
                """, [partition, names]),
            PostgresStatement(
                """
                SELECT "offset", event_type, value FROM ledger.facts WHERE partition = $1 AND order_id = ANY($2)
                    AND event_type IN ('orchard.order.opened.v1', 'orchard.order.repriced.v1')
                    AND disposition IN ('applied', 'parked') ORDER BY "offset"
                """, [partition, names]),
            // A fact that left the outbox is on its way until the watermark has passed its offset.
            PostgresStatement(
                """
                SELECT EXISTS (SELECT 1 FROM ledger.outbox_streams s LEFT JOIN ledger.inbox_watermarks w
                    ON w.topic = s.topic AND w.partition = s.partition
                    WHERE s.topic = $1 AND s.partition = $2
                        AND s.last_offset >= coalesce(w.next_offset, 0)) AS behind
                """, [Topic.journal.name, partition]),
        ])
        var told = facts(results[1].rows, of: partition)
        let revisions = try Dictionary(grouping: results[0].rows) { try $0.string("order_id") }
        for fact in try await waiting(ids, revisions, told, in: partition, on: connection) {
            told[fact.fact.order, default: []].append(fact)
        }
        let isBehind = try results[2].rows.first?.bool("behind") ?? false
        for row in rows {
            let name = try row.string("order_id")
            guard let id = OrderID(name), let merchant = MerchantID(try row.string("merchant_id")) else {
                unreadable.append(.init("P\(partition) order \(name): the row is none that the API writes"))
                continue
            }
            let partitions = try row.int32("partitions")
            guard partitions > 0, Partitioner.partition(of: id, among: partitions) == partition else {
                unreadable.append(.init("P\(partition) order \(name): the order does not belong into this partition"))
                continue
            }
            orders.append(
                OfferAudit(
                    order: id, merchant: merchant, partitions: partitions, request: try Self.request(row),
                    newest: try row.int64("revision"),
                    revisions: try (revisions[name] ?? []).map {
                        OfferAudit.Revision(
                            try $0.int64("revision"), shippingMethod: try $0.optionalString("shipping_method"),
                            total: try $0.int64("total"))
                    }, told: told[id] ?? [], isBehind: isBehind))
        }
    }

    private static func request(_ row: PostgresRow) throws -> OfferRequest? {
        let text = try row.bytes("request")
        guard SHA256.hash(text) == (try row.bytes("request_digest")) else { return nil }
        return try? OfferRequest(parsing: text)
    }

    /// The offers that the books tell of; a row whose value cannot be read is for other checks.
    private func facts(_ rows: [PostgresRow], of partition: Int32) -> [OrderID: [OfferAudit.Told]] {
        let told = rows.compactMap { row -> OfferAudit.Told? in
            guard let offset = try? row.int64("offset"),
                let fact = try? Fact(type: row.string("event_type"), value: row.bytes("value")).offerFact
            else { return nil }
            return OfferAudit.Told(fact, at: JournalPosition(partition: partition, offset: offset))
        }
        return Dictionary(grouping: told, by: \.fact.order)
    }

    /// Those that the books do not tell of yet and the outbox holds. Their names follow from order and revision.
    private func waiting(
        _ orders: [OrderID], _ revisions: [String: [PostgresRow]], _ told: [OrderID: [OfferAudit.Told]],
        in partition: Int32, on connection: PostgresConnection
    ) async throws -> [OfferAudit.Told] {
        var names: [String] = []
        for order in orders {
            let known = Set((told[order] ?? []).map(\.fact.revision))
            for row in revisions[order.description] ?? [] {
                let revision = try row.int64("revision")
                if !known.contains(revision) { names.append(Fact.offerID(of: order, revision: revision).description) }
            }
        }
        guard !names.isEmpty else { return [] }
        let rows = try await connection.query(
            "SELECT value FROM ledger.outbox WHERE partition = $1 AND event_id = ANY($2) AND topic = $3",
            [partition, names, Topic.journal.name])
        return try rows.compactMap { row in
            let value = try row.bytes("value")
            return (try? OfferFact(parsing: value)).map { OfferAudit.Told($0, at: nil) }
        }
    }
}
