import Contracts
import Ledger
import LedgerFixtures
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite("Metrics of the fold")
struct ProjectionMetricsTests {
    @Test("count each step of an order once, by merchant, also when its facts come again")
    func steps() async throws {
        let totals = try Shop.totals()
        let opened = History().offer(1, totals)
        let paid = History().payment(amount: totals.amount, .accepted, .succeeded)
        try await TestLedger.with { ledger in
            func count(_ step: OrderStep) -> Int64 { ledger.metrics.orders(History().merchant, step).value }
            try await ledger.fold([opened])
            #expect(count(.opened) == 1)
            #expect(count(.attempted) == 0)
            try await ledger.fold(paid, from: 1)
            try await ledger.fold(paid, from: 1)
            try await ledger.fold(paid, from: 3)
            #expect(count(.opened) == 1)
            #expect(count(.attempted) == 1)
            #expect(count(.taken) == 1)
            #expect(count(.cancelled) == 0)
        }
    }

    @Test("add up what entries moved: debits and credits of a currency are as much")
    func balance() async throws {
        let totals = try Shop.totals()
        let facts = [History().offer(1, totals)] + History().payment(amount: totals.amount, .accepted, .succeeded)
        try await TestLedger.with { ledger in
            try await ledger.fold(facts)
            var sums: (debit: Int64, credit: Int64) = (0, 0)
            for account in Account.allCases {
                sums.debit += ledger.metrics.posted(LedgerMetrics.Side(Posting(account, 1), totals.currency)).value
                sums.credit += ledger.metrics.posted(LedgerMetrics.Side(Posting(account, -1), totals.currency)).value
            }
            // A discount is a debit as well.
            #expect(sums.debit >= totals.total)
            #expect(sums.debit == sums.credit)
            #expect(
                ledger.metrics.posted(LedgerMetrics.Side(Posting(.acquirerReceivable, 1), totals.currency)).value
                    == totals.total)
        }
    }
}
