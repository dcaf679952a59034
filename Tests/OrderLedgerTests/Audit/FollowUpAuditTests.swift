import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("The audit finds damage of holds, captures, voids and refunds")
struct FollowUpAuditTests {
    static let refund = Money(minorUnits: 1_000, currency: .cny)

    /// Offset 3 holds 109.00; 5 captures 110.00 and releases the hold; 7 refunds 10.00, 9 again 20.00. The second order is
    /// a hold that is open, at 12. Of a third refund, of 5.00, no outcome is known.
    private static func records() throws -> [JournalRecord] {
        let totals = try Shop.totals()
        let history = History()
        let neighbour = try #require(
            (2...UInt8.max).map { Shop.orderID($0) }.first {
                Partitioner.partition(of: $0, among: Shop.partitions) == Shop.partition
            })
        let open = History(neighbour)
        let facts =
            [history.offer(1, totals), history.offer(2, totals)]
            + history.payment(amount: totals.amount, .accepted, .authorised)
            + history.followUps(.capture, 1, amount: Money(minorUnits: 11_000, currency: .cny), .accepted, .succeeded)
            + history.followUps(.refund, 2, amount: refund, .accepted, .succeeded)
            + history.followUps(
                .refund, 3, amount: Money(minorUnits: 2_000, currency: .cny), .accepted, .succeeded)
            + [open.offer(1, totals)]
            + open.payment(Shop.paymentID(2), amount: totals.amount, .accepted, .authorised)
            + history.followUps(.refund, 4, amount: Money(minorUnits: 500, currency: .cny), .accepted)
        return facts.records()
    }

    static let damages: [AuditTests.Damage] = [
        .init(
            "a refund's amount is changed", "UPDATE ledger.follow_ups SET amount = 1001 WHERE amount = 1000", ["R2"]),
        .init(
            "a refund becomes more than was taken", "UPDATE ledger.follow_ups SET amount = 20000 WHERE amount = 1000",
            ["B4", "R2"]),
        .init(
            "a refund's amount has no opposite",
            "UPDATE ledger.follow_ups SET amount = -9223372036854775808 WHERE amount = 1000", ["R2"]),
        .init(
            "a capture becomes more than 115 % of the hold",
            "UPDATE ledger.follow_ups SET amount = 12536 WHERE kind = 'capture'", ["B3", "R2"]),
        .init(
            "a capture is forgotten", "DELETE FROM ledger.follow_ups WHERE kind = 'capture'", ["B4", "B5", "R2"]),
        .init(
            "a capture that was done is stored as failed",
            "UPDATE ledger.follow_ups SET status = 'failed' WHERE kind = 'capture'", ["B4", "B5", "R2"]),
        .init("a refund is forgotten", "DELETE FROM ledger.follow_ups WHERE amount = 2000", ["R2"]),
        .init(
            "two refunds are swapped",
            "UPDATE ledger.follow_ups SET amount = 3000 - amount, booked_subtotal = NULL WHERE kind = 'refund'", ["R2"]),
        .init(
            "the release of a hold is removed",
            #"DELETE FROM ledger.entries WHERE kind = 'holdReleased'"#, ["T1", "T2", "B1", "B5"], at: 5),
        .init(
            "a hold is removed", #"DELETE FROM ledger.entries WHERE kind = 'hold' AND "offset" = 12"#,
            ["T1", "T2", "B1", "B5"], at: 12),
        .init(
            "an open hold is stored as expired",
            "UPDATE ledger.payments SET status = 'authorisationExpired' WHERE payment_id = '\(Shop.paymentID(2))'",
            ["B5", "R2"]),
        .init(
            "a refund is posted as half", #"UPDATE ledger.entries SET amount = amount / 2 WHERE "offset" = 7"#,
            ["T1", "T2", "B1"], at: 7),
        .init(
            "the entries of two refunds are swapped",
            #"UPDATE ledger.entries SET "offset" = "offset" - 16 WHERE kind = 'refund'; UPDATE ledger.entries SET "offset" = -"offset" WHERE kind = 'refund'"#,
            ["T1", "T2"], at: 7),
        .init(
            "a refund without an outcome gets a number at the acquirer",
            """
            UPDATE ledger.follow_ups SET acquirer = 'unionpay', account = '777290058110048', order_number = 'x',
                transaction_time = now() WHERE code IS NULL
            """, ["R2"]),
        .init(
            "an order is stored as captured",
            "UPDATE ledger.orders SET status = 'paid' WHERE status = 'authorised'", ["R2"]),
        .init(
            "an order gets final lines", "UPDATE ledger.orders SET final_revision = 2 WHERE status = 'paid'", ["R2"]),
    ]

    @Test("Undamaged books have no findings")
    func clean() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            let report = try await ledger.audit()
            #expect(report.exitStatus == 0 && report.warnings == 0, "\(report.text)")
            #expect(report.checks.first { $0.id == "B3" }?.counts == "2 holds")
            #expect(report.checks.first { $0.id == "B5" }?.counts == "1 of 2 holds open")
        }
    }

    @Test("Damage is found by the expected checks, at its place", arguments: damages)
    func damage(_ damage: AuditTests.Damage) async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            try await ledger.tamper(damage.sql)
            let report = try await ledger.audit()
            #expect(Set(report.checks.filter { $0.outcome == .failed }.map(\.id)) == damage.checks, "\(report.text)")
            if let offset = damage.offset {
                let named = report.checks.flatMap(\.findings).compactMap(\.position)
                #expect(named.contains(JournalPosition(partition: Shop.partition, offset: offset)), "\(report.text)")
            }
        }
    }
}
