import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// Reads and writes the places of settlement facts. The records themselves are in `facts`.
enum SettlementFacts {
    /// Each order's facts. A day's facts stand alone, and there can be any number: the fold reads none of them again.
    static func loading(_ places: [OrderPlace]) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT f.partition, f.order_id, f.place, f.kind, f.merchant_id, f.acquirer, f.account, f.settlement_date,
                f.owed, \(ReadRecord.columns)
            FROM unnest($1::integer[], $2::uuid[]) AS wanted(place, id) CROSS JOIN LATERAL (
                SELECT s.partition, s.order_id, s."offset" AS place, s.kind, s.merchant_id, s.acquirer, s.account,
                    s.settlement_date, s.owed, \(ReadRecord.columns)
                FROM ledger.settlement_facts s \(ReadRecord.joined(to: "s"))
                WHERE s.partition = wanted.place AND s.order_id = wanted.id OFFSET 0) AS f ORDER BY f.place
            """, [places.map(\.partition), places.map(\.order)])
    }

    /// The same for all orders of a range of ids, the lower one left out.
    static func loading(
        _ partition: Int32, behind first: OrderID, through last: OrderID
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT s.partition, s.order_id, s."offset" AS place, s.kind, s.merchant_id, s.acquirer, s.account,
                s.settlement_date, s.owed, \(ReadRecord.columns)
            FROM ledger.settlement_facts s \(ReadRecord.joined(to: "s"))
            WHERE s.partition = $1 AND s.order_id > $2 AND s.order_id <= $3 ORDER BY s."offset"
            """, [partition, first, last])
    }

    /// The fact of a row, checked against the columns by which it is found.
    static func event(_ row: PostgresRow, in partition: Int32) throws -> JournalEvent {
        guard try row.optionalInt64("offset") != nil else {
            throw StoreError(
                .malformed, at: "settlement_facts", "the record P\(partition)@\(try row.int64("place")) is missing")
        }
        let event = try ReadRecord(row, partition: partition).event()
        guard try Columns(row) == Columns(event.fact) else {
            throw StoreError(.malformed, at: "settlement_facts", "the row differs from its record \(event.position)")
        }
        return event
    }

    static func insertion(of events: [JournalEvent]) -> Write {
        let days = events.map(\.fact.settlementDay)
        return Write(
            """
            INSERT INTO ledger.settlement_facts (partition, "offset", order_id, kind, merchant_id, acquirer, account,
                settlement_date, owed)
            SELECT * FROM unnest($1::integer[], $2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[],
                $8::text[], $9::bigint[])
            """,
            [
                events.map(\.position.partition), events.map(\.position.offset), events.map(\.fact.order),
                events.map(\.fact.settlementKind), days.map { $0?.merchant }, days.map { $0?.acquirer },
                days.map { $0?.account }, days.map { $0?.date.description }, events.map(\.fact.owed),
            ], rows: events.count)
    }
}

/// The columns by which a settlement fact is found.
private struct Columns: Equatable {
    let order: OrderID
    let kind: String?
    let merchant: MerchantID?
    let acquirer: String?
    let account: String?
    let date: String?
    let owed: Int64?

    init(_ row: PostgresRow) throws {
        order = try row.identifier("order_id")
        kind = try row.string("kind")
        merchant = try row.identifier("merchant_id")
        acquirer = try row.string("acquirer")
        account = try row.string("account")
        date = try row.string("settlement_date")
        owed = try row.optionalInt64("owed")
    }

    init(_ fact: Fact) {
        let day = fact.settlementDay
        order = fact.order
        kind = fact.settlementKind
        merchant = day?.merchant
        acquirer = day?.acquirer
        account = day?.account
        date = day?.date.description
        owed = fact.owed
    }
}

extension Fact {
    /// What it adds to what the acquirer owes to the bank, in minor units; nil for a fact that adds nothing by itself. The
    /// rows of a file are in its sums.
    var owed: Int64? {
        switch self {
        case .settlementFileRecorded(let file): file.net
        case .disputeOpened(let dispute): dispute.net
        case .payOutReceived(let payOut): 0 &- payOut.amount.minorUnits
        default: nil
        }
    }

    /// What the fact is in `settlement_facts.kind`; nil for a fact of an order alone.
    var settlementKind: String? {
        switch self {
        case .settlementFileRecorded: "file"
        case .settlementRecorded: "row"
        case .disputeOpened: "dispute"
        case .differenceExplained: "explanation"
        case .payOutReceived: "payOut"
        case .orderOpened, .orderRepriced, .orderFinalised, .orderClosed, .payment, .commandRejected, .followUp: nil
        }
    }
}
