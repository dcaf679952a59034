import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import Testing

@testable import OrderLedger

@Suite("order_overview")
struct OrderOverviewTests {
    @Test("shows each order once, with its price and the payment that paid")
    func rows() async throws {
        try await TestLedger.with { ledger in
            let paid = History(Shop.orderID(1))
            // The payment that paid is neither the first by name nor by time.
            let payments = [Shop.paymentID(1), Shop.paymentID(2)].sorted()
            var declined = History(Shop.orderID(2))
            var open = History(Shop.orderID(3))
            (declined.partitions, open.partitions) = (1, 1)
            let (first, second) = (try Shop.totals(), try Shop.totals(shipping: 2_000))
            let yen = try Shop.totals(try #require(Currency("JPY")))
            try await ledger.fold(
                [paid.offer(1, first), paid.offer(2, second)]
                    + paid.payment(payments[0], amount: first.amount, .accepted, .declined)
                    + paid.payment(payments[1], revision: 2, amount: second.amount, .accepted, .succeeded))
            try await ledger.fold(
                [declined.offer(1, first)] + declined.payment(amount: first.amount, .accepted, .declined)
                    + [open.offer(1, yen)], partition: 0)
            let rows = try await ledger.owner.query(
                """
                SELECT concat_ws(' ', status, revision, total, currency, payments, payment_status, payment_amount,
                    order_number, opened_at <= changed_at AND opened_at IS NOT NULL) AS words
                FROM ledger.order_overview ORDER BY order_id = $1 DESC, status, currency
                """, [Shop.orderID(1)])
            let text = try rows.map { try $0.string("words") }
            #expect(
                text == [
                    "paid 2 121.00 CNY 2 succeeded 121.00 0123456789abcdef t",
                    "open 1 109.00 CNY 1 declined 109.00 0123456789abcdef t", "open 1 10900 JPY 0 t",
                ])
        }
    }
}
