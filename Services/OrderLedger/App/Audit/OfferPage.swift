import Contracts
import Ledger
import OrchardCrypto
import OrchardPostgres
import Outbox

/// Some orders of a partition in the API's tables, with what was published of them.
struct OfferPage {
    var orders: [OfferAudit] = []
    /// Orders that are stored in the wrong partition, cannot be read, or are missing.
    var misplaced: [AuditCheck.Finding] = []
    /// The last order; nil when there are no more.
    var last: OrderID?

    /// The next orders behind a given one, in the order of their names: those of the API and those of the books.
    static func read(
        _ partition: Int32, behind last: OrderID?, limit: Int, on connection: PostgresConnection
    ) async throws -> OfferPage {
        let behind = last == nil ? "" : "AND order_id > $3"
        let rows = try await connection.query(
            """
            SELECT order_id, EXISTS (SELECT 1 FROM ledger.offered_orders AS d
                WHERE d.partition = $1 AND d.order_id = o.order_id) AS "isOffered"
            FROM (
                (SELECT order_id FROM ledger.offered_orders WHERE partition = $1 \(behind) ORDER BY order_id LIMIT $2)
                UNION
                (SELECT order_id FROM ledger.orders WHERE partition = $1 \(behind) ORDER BY order_id LIMIT $2)) AS o
            ORDER BY order_id LIMIT $2
            """, [partition, Int64(limit)] + (last.map { [$0] } ?? []))
        var page = OfferPage()
        var (offered, others): ([OrderID], [OrderID]) = ([], [])
        for row in rows {
            let id: OrderID = try row.identifier("order_id")
            if try row.bool("isOffered") { offered.append(id) } else { others.append(id) }
        }
        if !offered.isEmpty { try await page.add(offered, of: partition, on: connection) }
        if !others.isEmpty { try await page.addMissing(others, of: partition, on: connection) }
        page.last = rows.count < limit ? nil : try rows.last?.identifier("order_id")
        return page
    }

    /// Orders that were opened here and have no row. What lies below the mark may have been lost by a database, with the
    /// shop's request; what is older than the database was opened in another one.
    private mutating func addMissing(
        _ ids: [OrderID], of partition: Int32, on connection: PostgresConnection
    ) async throws {
        let openings = try await connection.query(
            """
            SELECT f.order_id, f."offset" FROM unnest($2::uuid[]) AS wanted(id) CROSS JOIN LATERAL (
                SELECT order_id, "offset" FROM ledger.facts
                WHERE partition = $1 AND order_id = wanted.id AND event_type = $3 AND \(JournalTables.isTaken)
                    AND occurred_at >= (SELECT min(applied_at) FROM ledger.schema_migrations)
                OFFSET 0) AS f
            WHERE EXISTS (SELECT 1 FROM ledger.inbox_watermarks AS w
                WHERE w.topic = $4 AND w.partition = $1 AND f."offset" >= w.mark AND f."offset" < w.next_offset)
            ORDER BY f."offset"
            """, [partition, ids, FactType.orderOpened.text, Topic.journal.name])
        misplaced += try openings.map { row in
            let id: OrderID = try row.identifier("order_id")
            return .init(
                "P\(partition) order \(id): it was opened here, and offered_orders does not have it",
                at: JournalPosition(partition: partition, offset: try row.int64("offset")))
        }
    }

    private mutating func add(_ ids: [OrderID], of partition: Int32, on connection: PostgresConnection) async throws {
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT order_id, revision, total, \(OfferStore.choiceColumns) FROM ledger.offers
                WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id, revision
                """, [partition, ids]),
            PostgresStatement(
                """
                SELECT "offset", event_type, \(JournalRecord.columns) FROM ledger.facts
                WHERE partition = $1 AND order_id = ANY($2)
                    AND event_type IN ('orchard.order.opened.v1', 'orchard.order.repriced.v1',
                        'orchard.order.finalised.v1')
                    AND \(JournalTables.isTaken) ORDER BY "offset"
                """, [partition, ids]),
            // A fact that left the outbox is on its way until the watermark has passed its offset.
            PostgresStatement(
                """
                SELECT EXISTS (SELECT 1 FROM ledger.outbox_streams s LEFT JOIN ledger.inbox_watermarks w
                    ON w.topic = s.topic AND w.partition = s.partition
                    WHERE s.topic = $1 AND s.partition = $2
                        AND s.last_offset >= coalesce(w.next_offset, 0)) AS behind
                """, [Topic.journal.name, partition]),
            FinalOffer.reading(of: ids, in: partition),
            PostgresStatement(
                "SELECT * FROM ledger.offered_orders WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id",
                [partition, ids]),
            PostgresStatement(
                """
                SELECT order_id FROM ledger.orders WHERE partition = $1 AND order_id = ANY($2) AND status <> 'open'
                UNION ALL
                SELECT order_id FROM ledger.commands
                WHERE partition = $1 AND order_id = ANY($2) AND command_id = ANY($3)
                """, [partition, ids, ids.map { CommandID(expiring: $0) }]),
        ])
        var published = facts(results[1].rows, of: partition, \.offerFact)
        var finals = facts(results[1].rows, of: partition, \.finalFact)
        let stored = try Dictionary(
            results[3].rows.map { (try $0.identifier("order_id") as OrderID, $0) }, uniquingKeysWith: { $1 })
        let revisions = try Dictionary(grouping: results[0].rows) { try $0.identifier("order_id") as OrderID }
        for fact in try await waiting(ids, revisions, published, in: partition, on: connection) {
            published[fact.fact.order, default: []].append(fact)
        }
        for fact in try await waiting(stored, finals, in: partition, on: connection) {
            finals[fact.fact.order, default: []].append(fact)
        }
        let isBehind = try results[2].rows.first?.bool("behind") ?? false
        let rows = results[4].rows
        let closed = Set(try results[5].rows.map { try $0.identifier("order_id") as OrderID })
        for row in rows {
            let id: OrderID = try row.identifier("order_id")
            let partitions = try row.int32("partitions")
            guard partitions > 0, Partitioner.partition(of: id, among: partitions) == partition else {
                misplaced.append(.init("P\(partition) order \(id): the order does not belong to this partition"))
                continue
            }
            let (known, columns): ([OfferAudit.Revision], OfferAudit.Columns)
            do {
                columns = OfferAudit.Columns(
                    reference: try row.optionalString("reference"), expiry: try row.optionalTime("expiry_due"),
                    isClosed: closed.contains(id))
                known = try (revisions[id] ?? []).map {
                    OfferAudit.Revision(
                        try $0.int64("revision"), try OfferStore.choice(in: $0), total: try $0.int64("total"))
                }
            } catch  where error.isDamage {
                misplaced.append(.init("P\(partition) order \(id): its row or an offer cannot be read: \(error)"))
                continue
            }
            orders.append(
                OfferAudit(
                    order: id, merchant: try row.identifier("merchant_id"), partitions: partitions,
                    request: try Self.request(row), columns: columns, newest: try row.int64("revision"),
                    revisions: known,
                    final: try stored[id].map(Self.final),
                    published: published[id] ?? [], publishedFinals: finals[id] ?? [], isBehind: isBehind))
        }
    }

    private static func final(_ row: PostgresRow) throws -> OfferAudit.Final {
        OfferAudit.Final(try row.int64("revision"), try request(row), try? FinalOffer.choice(in: row))
    }

    private static func request(_ row: PostgresRow) throws -> OfferRequest? {
        let text = try row.bytes("request")
        guard SHA256.hash(text) == (try row.bytes("request_digest")) else { return nil }
        return try? OfferRequest(parsing: text)
    }

    /// The offers that the books have. A row whose value cannot be read is left to other checks.
    private func facts(
        _ rows: [PostgresRow], of partition: Int32, _ offer: (Fact) -> OfferFact?
    ) -> [OrderID: [OfferAudit.Published]] {
        let published = rows.compactMap { row -> OfferAudit.Published? in
            guard let offset = try? row.int64("offset"),
                let any = try? Fact(type: row.string("event_type"), value: row.recordValue()),
                let fact = offer(any)
            else { return nil }
            return OfferAudit.Published(fact, at: JournalPosition(partition: partition, offset: offset))
        }
        return Dictionary(grouping: published, by: \.fact.order)
    }

    /// The offers that wait in the outbox and are not in the books yet. Their names follow from order and revision.
    private func waiting(
        _ orders: [OrderID], _ revisions: [OrderID: [PostgresRow]], _ published: [OrderID: [OfferAudit.Published]],
        in partition: Int32, on connection: PostgresConnection
    ) async throws -> [OfferAudit.Published] {
        var names: [String] = []
        for order in orders {
            let known = Set((published[order] ?? []).map(\.fact.revision))
            for row in revisions[order] ?? [] {
                let revision = try row.int64("revision")
                if !known.contains(revision) { names.append(Fact.offerID(of: order, revision: revision).description) }
            }
        }
        return try await waiting(names, in: partition, on: connection)
    }

    /// The same of final lines.
    private func waiting(
        _ stored: [OrderID: PostgresRow], _ finals: [OrderID: [OfferAudit.Published]], in partition: Int32,
        on connection: PostgresConnection
    ) async throws -> [OfferAudit.Published] {
        let names = try stored.filter { finals[$0.key] == nil }.map { order, row in
            Fact.offerID(of: order, revision: try row.int64("revision")).description
        }
        return try await waiting(names, in: partition, on: connection)
    }

    private func waiting(
        _ names: [String], in partition: Int32, on connection: PostgresConnection
    ) async throws -> [OfferAudit.Published] {
        guard !names.isEmpty else { return [] }
        let rows = try await connection.query(
            "SELECT value FROM ledger.outbox WHERE partition = $1 AND event_id = ANY($2) AND topic = $3",
            [partition, names, Topic.journal.name])
        return try rows.compactMap { row in
            let value = try row.bytes("value")
            return (try? OfferFact(parsing: value)).map { OfferAudit.Published($0, at: nil) }
        }
    }
}
