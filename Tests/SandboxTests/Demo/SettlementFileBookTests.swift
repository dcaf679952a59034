import Contracts
import Foundation
import Testing

@testable import SandboxAcquirer
@testable import SandboxDemo

@Suite("The demo's reading of the acquirer's settlement files")
struct SettlementFileBookTests {
    private static let order = OrderID(
        time: Timestamp(seconds: 1_800_000_000), randomness: [UInt8](repeating: 7, count: 10))
    private static let merchant = "777290058110048"

    /// A day's file of the sandbox's acquirer, as the gateway keeps it.
    private func content(_ transactions: [(TransactionKind, Int64)]) throws -> [UInt8] {
        let rows = transactions.enumerated().map { number, transaction in
            var fields = ["merId": Self.merchant, "orderId": "order000\(number)", "txnTime": "20261124120000"]
            fields["txnAmt"] = "\(transaction.1)"
            fields["reqReserved"] = "\(Self.order)\(String(repeating: "a", count: 32))"
            return Transaction(
                TransactionRequest(ACPMessage(fields), transaction.0, card: "6259020040003629"),
                queryID: "78261124120000\(100_000 + number)8", following: nil, settlementDay: "20261124", fault: .none)
        }
        let file = SettlementFile(
            merchant: Self.merchant, day: "20261124", transactions: rows, disputed: [], feeBasisPoints: 60)
        return Array(try #require(Data(base64Encoded: file.content)))
    }

    @Test("finds order, kind, amount, fee and net of each row, with their signs")
    func rows() throws {
        let rows = try SettlementFileBook.transactions(in: try content([(.sale, 10_000), (.refund, 2_500)]))
        #expect(
            rows == [
                FiledTransaction(order: Self.order, kind: "01", amount: 10_000, fee: 60, net: 9_940),
                FiledTransaction(order: Self.order, kind: "04", amount: 2_500, fee: -15, net: -2_485),
            ])
        #expect(rows.map(\.change) == [10_000, -2_500])
    }

    @Test("counts what is taken for the shop and what is given back against it")
    func changes() {
        for kind in TransactionKind.allCases where kind.isSettled {
            let row = FiledTransaction(order: Self.order, kind: kind.rawValue, amount: 5, fee: 0, net: 0)
            #expect(row.change == (kind.takesMoney ? 5 : -5))
        }
    }

    @Test("refuses a file that is cut")
    func cut() throws {
        let content = try content([(.sale, 10_000)])
        #expect(throws: (any Error).self) { try SettlementFileBook.transactions(in: Array(content.dropLast(40))) }
    }
}
