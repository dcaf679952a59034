import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Outbox
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger accounts", .timeLimit(.minutes(10)))
struct AccountsCommandTests {
    /// A sale, refunded in part ten seconds later, and the sale of another merchant.
    private static func records() throws -> [JournalRecord] {
        let totals = try Shop.totals()
        let history = History()
        var other = History(
            try #require(
                (2...UInt8.max).map { Shop.orderID($0) }.first {
                    Partitioner.partition(of: $0, among: Shop.partitions) == Shop.partition
                }))
        other.merchant = Shop.otherMerchant
        let facts =
            [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
            + history.followUps(.refund, amount: Money(minorUnits: 1_090, currency: .cny), .accepted, .succeeded)
            + [other.offer(1, totals)]
            + other.payment(Shop.paymentID(2), amount: totals.amount, .accepted, .succeeded)
        return facts.enumerated().map { index, fact in
            fact.record(
                at: Int64(index), time: Timestamp(seconds: 1_700_000_000 + Int64(index) * 5), sequence: Int64(index + 1)
            )
        }
    }

    private static func balances(
        _ ledger: TestLedger, at time: Timestamp?, by basis: PointInTimeBalances.Basis = .event
    ) async throws -> PointInTimeBalances {
        try await ledger.database.withConnection {
            try await AccountBalances(connection: $0).balances(at: time, by: basis)
        }
    }

    @Test("shows what had happened at a time, for each merchant")
    func events() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            let before = try await Self.balances(ledger, at: Timestamp(seconds: 1_700_000_009))
            #expect(before.merchants.isEmpty && before.text.hasSuffix("no entries\n"))
            let sold = try await Self.balances(ledger, at: Timestamp(seconds: 1_700_000_010))
            #expect(
                sold.text == """
                    accounts at 2023-11-14T22:13:30Z, by the time of the event
                    merchant \(History().merchant)
                      assets:acquirer-receivable                  109.00                  CNY
                      liabilities:tax-payable                                       6.00  CNY
                      income:sales                                                100.00  CNY
                      income:shipping                                               8.00  CNY
                      income:discounts                              5.00                  CNY
                      total                                       114.00          114.00  CNY

                    """)
            let refunded = try await Self.balances(ledger, at: Timestamp(seconds: 1_700_000_020))
            #expect(refunded.merchants[0].balance.lines.map(\.amount) == [9_810, -540, -9_000, -720, 450])
            let all = try await Self.balances(ledger, at: nil)
            #expect(all.merchants.map(\.id) == [History().merchant, Shop.otherMerchant])
            #expect(all.isBalanced)
            #expect(
                String(decoding: all.json, as: UTF8.self).contains(
                    #"{"account":"income:sales","currency":"CNY","minorUnits":-9000}"#))
        }
    }

    @Test("shows what had been booked at a time, whenever it happened")
    func bookings() async throws {
        try await TestLedger.with { ledger in
            let records = try Self.records()
            try await ledger.fold(records: Array(records[..<3]))
            let clock = try await ledger.owner.query("SELECT clock_timestamp() AS now")
            let between = try clock[0].time("now")
            try await ledger.fold(records: Array(records[3...]))
            let booked = try await Self.balances(ledger, at: between, by: .booking)
            #expect(booked.merchants.map { $0.balance.lines[0].amount } == [10_900])
            #expect(booked.text.contains("by the time of the booking"))
            let happened = try await Self.balances(ledger, at: between)
            #expect(happened.merchants.map { $0.balance.lines[0].amount } == [9_810, 10_900])
            let now = try await Self.balances(ledger, at: nil, by: .booking)
            #expect(now.merchants.map(\.balance) == happened.merchants.map(\.balance))
        }
    }

    @Test("exits 1 when debits and credits differ, and 2 when nothing can be summed")
    func process() async throws {
        try await TestLedger.with { ledger in
            try await ledger.fold(records: try Self.records())
            func accounts(_ arguments: String...) async throws -> (status: Int32, output: String) {
                let process = try TestProcess(
                    "order-ledger", ["accounts"] + arguments, ["POSTGRES_URL": ledger.service.connectionString])
                return (try await process.status(), process.log)
            }
            let clean = try await accounts("--at", "2023-11-15T06:13:30+08:00")
            #expect(clean.status == 0 && clean.output.contains("total                                       114.00"))
            let json = try await accounts("--booked", "--json")
            #expect(json.status == 0 && json.output.hasPrefix(#"{"at":"20"#), "\(json.output)")
            try await ledger.tamper(#"UPDATE ledger.entries SET amount = amount + 1 WHERE line = 0 AND "offset" = 2"#)
            let damaged = try await accounts()
            #expect(damaged.status == 1)
            try await ledger.tamper("UPDATE ledger.entries SET amount = 9223372036854775807 WHERE amount > 0")
            let huge = try await accounts()
            #expect(huge.status == 2 && huge.output.contains("exceed 64 bits"), "\(huge.output)")
            let usage = try await accounts("--at", "yesterday")
            #expect(usage.status == 2 && usage.output.contains("TIME is a date"), "\(usage.output)")
        }
    }
}
