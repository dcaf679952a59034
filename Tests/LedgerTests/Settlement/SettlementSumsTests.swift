import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("What transactions add up to")
struct SettlementSumsTests {
    private static func transaction(_ kind: OperationKind, _ amount: Int64) -> ExpectedSettlement {
        ExpectedSettlement(
            operation: OperationID(high: 1, low: 2), payment: PaymentID(high: 3, low: 4), kind: kind,
            acquirer: "unionpay", account: "account", date: nil, amount: Money(minorUnits: amount, currency: .cny),
            serial: nil, remark: nil)
    }

    @Test("is taken from cards or given back to them")
    func signs() {
        var sums = SettlementSums()
        for (kind, amount) in [(OperationKind.sale, Int64(700)), (.refund, 200), (.void, 50), (.capture, 5)] {
            sums.add(Self.transaction(kind, amount))
        }
        #expect(sums.count == 4 && sums.taken == 705 && sums.returned == 250 && sums.net == 455 && !sums.isOverflown)
    }

    @Test(
        "is void for an amount that a changed row has and nobody can give back",
        arguments: [OperationKind.refund, .void])
    func noOpposite(_ kind: OperationKind) throws {
        let transaction = Self.transaction(kind, .min)
        var sums = SettlementSums()
        sums.add(transaction)
        #expect(sums.isOverflown)
        let day = SettlementDay(
            merchant: MerchantID(high: 5, low: 6), acquirer: "unionpay", account: "account",
            date: try #require(SettlementDate("2023-11-21")))
        let difference = SettlementDifference(
            ours: transaction, of: Shop.orderID(1), on: day, since: Timestamp(microseconds: 0))
        #expect(difference.amount.minorUnits == .min, "no number is made up")
    }
}
