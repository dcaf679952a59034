import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Outbox
import Testing

@testable import OrderLedger

/// A ledger with paid orders of the merchant of the tests, and the acquirer's files about them.
struct SettlementFixture: Sendable {
    let ledger: TestLedger

    static func with(_ body: @Sendable (SettlementFixture) async throws -> Void) async throws {
        try await TestLedger.with { ledger in
            try await ledger.start()
            try await body(SettlementFixture(ledger: ledger))
        }
    }

    /// The order of a number, by the merchant of ``Shop/registry``.
    static func history(_ number: UInt8 = 1) -> History {
        var history = History(Shop.orderID(number))
        history.merchant = Shop.merchant?.id ?? history.merchant
        return history
    }

    static func day(_ date: String = "2023-11-21") -> SettlementDay { history().day(date) }

    /// A paid order of 109.00, and the facts of it.
    static func paid(_ number: UInt8) throws -> [Fact] {
        let totals = try Shop.totals()
        return [history(number).offer(1, totals)]
            + history(number).payment(Shop.paymentID(number), amount: totals.amount, .accepted, .succeeded)
    }

    /// The row that settles such an order.
    static func row(_ number: UInt8, amount: Int64 = 10_900, on date: String = "2023-11-21") -> SettlementRecorded {
        history(number).row(Shop.paymentID(number), serial: "q\(number)", amount: amount, fee: 65, on: date)
    }

    /// Folds facts, each in its own partition, behind what is folded already.
    func fold(_ facts: [Fact]) async throws {
        for (partition, facts) in Dictionary(
            grouping: facts, by: { Partitioner.partition(of: $0.order, among: Shop.partitions) })
        {
            let mark = try await ledger.owner.query(
                "SELECT next_offset FROM ledger.inbox_watermarks WHERE partition = $1", [partition])
            let next = try mark[0].int64("next_offset")
            let stream = try await ledger.owner.query(
                """
                SELECT stream, max(stream_sequence) AS newest FROM ledger.facts
                WHERE partition = $1 AND stream IS NOT NULL GROUP BY stream
                """, [partition])
            var newest: [String: Int64] = [:]
            for row in stream { newest[try row.string("stream")] = try row.int64("newest") }
            let records = facts.enumerated().map { index, fact in
                let sequence = newest[fact.source.stream, default: 0] + 1
                newest[fact.source.stream] = sequence
                return fact.record(at: next + Int64(index), partition: partition, sequence: sequence)
            }
            try await ledger.fold(records: records, of: partition)
        }
    }

    /// Folds what the outbox holds, as the relay would bring it through the journal.
    func foldOutbox() async throws {
        let rows = try await ledger.owner.query(
            "DELETE FROM ledger.outbox WHERE topic = $1 RETURNING headers, value", [Topic.journal.name])
        try await fold(
            rows.map { row in
                let type = try row.string("headers").split(separator: "\n").first { $0.hasPrefix("ce_type: ") }
                return try Fact(type: String(type?.dropFirst(9) ?? ""), value: row.bytes("value"))
            })
    }

    func reconcile(_ date: String = "2023-11-21") async throws -> SettlementReconciler.Outcome? {
        try await ledger.database.withConnection {
            try await SettlementReconciler(connection: $0).reconcile(Self.day(date), at: Shop.now)
        }
    }

    /// Runs `body` as a command does, on a connection of the service's role.
    func asCommand<Value: Sendable>(
        _ body: @Sendable (PostgresConnection, SettlementPublisher) async throws -> Value
    ) async throws -> Value {
        try await ledger.database.withConnection { connection in
            try await body(
                connection, SettlementPublisher(connection: connection, partitions: Shop.partitions))
        }
    }
}
