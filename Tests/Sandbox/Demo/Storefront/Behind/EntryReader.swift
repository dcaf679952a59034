import Contracts
import OrchardJSON
import OrchardPostgres

/// Reads the entries that order-ledger has booked since the last look.
struct EntryReader {
    private let configuration: PostgresConfiguration
    private let partitions: Int32
    private var connection: PostgresConnection?
    /// The offset of the newest fact that was seen booked, by partition.
    private var last: [Int32: Int64] = [:]

    /// - Parameter database: a connection string of the ledger's database.
    init(database: String, partitions: Int32) {
        configuration = PostgresConfiguration(connectionString: database)
        self.partitions = partitions
    }

    /// The events of new entries. A lost connection is made again at the next look.
    mutating func look() async throws -> [BehindEvent] {
        let connection: PostgresConnection
        if let open = self.connection {
            connection = open
        } else {
            connection = try await PostgresConnection.connect(configuration)
            self.connection = connection
        }
        do {
            var (events, last) = ([BehindEvent](), last)
            for partition in 0..<partitions {
                let found = try await look(at: partition, after: last[partition] ?? -1, connection)
                events += found.events
                last[partition] = found.last
            }
            // What could not be read to its end is read again.
            self.last = last
            return events
        } catch {
            self.connection = nil
            await connection.close()
            throw error
        }
    }

    private func look(
        at partition: Int32, after last: Int64, _ connection: PostgresConnection
    ) async throws -> (events: [BehindEvent], last: Int64) {
        // Whole facts only: one fact's entries are written together.
        let rows = try await connection.query(
            """
            SELECT "offset", entry, kind, order_id, payment_id, account, currency, amount,
                (extract(epoch FROM occurred_at) * 1000000)::bigint AS time
            FROM ledger.entries
            WHERE partition = $1 AND "offset" > $2 AND "offset" <= coalesce((
                SELECT max("offset") FROM (
                    SELECT DISTINCT "offset" FROM ledger.entries WHERE partition = $1 AND "offset" > $2
                    ORDER BY "offset" LIMIT 100) AS facts), 0)
            ORDER BY "offset", entry, line
            """, [partition, last])
        var entries: [(key: [Int64], rows: [PostgresRow])] = []
        for row in rows {
            let key = [try row.int64("offset"), try row.int64("entry")]
            if entries.last?.key != key { entries.append((key, [])) }
            entries[entries.count - 1].rows.append(row)
        }
        return (try entries.map { try Self.event($0.rows) }, try rows.last?.int64("offset") ?? last)
    }

    /// The event of one entry, which has two lines at least.
    private static func event(_ rows: [PostgresRow]) throws -> BehindEvent {
        let lines = try rows.map { row -> (account: String, amount: Money) in
            guard let currency = Currency(try row.string("currency")) else {
                throw DemoError("the ledger has an unknown currency")
            }
            return (try row.string("account"), Money(minorUnits: try row.int64("amount"), currency: currency))
        }
        let shown = lines.map { "\($0.account) \($0.amount.minorUnits > 0 ? "+" : "")\($0.amount.decimal)" }
        let (first, kind) = (rows[0], try rows[0].string("kind"))
        var payment: PaymentID?
        if let halves = try first.optionalUUID("payment_id") {
            payment = PaymentID(high: halves.high, low: halves.low)
        }
        return BehindEvent(
            program: .orderLedger, kind: "entries.booked", source: "ledger.entries",
            order: try first.identifier("order_id"), payment: payment,
            time: Timestamp(microseconds: try first.int64("time")),
            text: "Booked (\(kind)): \(shown.joined(separator: ", ")). The lines add up to zero.",
            data: [
                "kind": .string(kind),
                "lines": .array(
                    lines.map { ["account": .string($0.account), "amount": .string($0.amount.decimal)] }),
            ])
    }
}
