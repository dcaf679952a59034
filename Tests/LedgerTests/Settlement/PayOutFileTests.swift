import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("A file of pay-outs")
struct PayOutFileTests {
    private static let owner = PayOutFile.Owner(
        merchant: Shop.otherMerchant, acquirer: "unionpay", currencies: [.cny])
    /// Two acquirers gave out the second number.
    private static let owners = [
        History.account: [owner],
        "4711": [owner, .init(merchant: Shop.otherMerchant, acquirer: "meadow", currencies: [.cny])],
    ]
    private static let today = SettlementDate("2026-11-25") ?? SettlementCalendar.unionPay.day(of: Shop.now)

    private static func read(_ text: String) throws(PayOutFile.Fault) -> PayOutFile {
        try PayOutFile(Array(text.utf8), owners: owners, today: today)
    }

    private static func line(
        _ date: String = "2026-11-24", _ account: String = History.account, _ currency: String = "CNY",
        _ amount: String = "13147.64", _ reference: String = "B-1"
    ) -> String { "\(date),\(account),\(currency),\(amount),\(reference)\n" }

    private static let header = PayOutFile.header + "\n"

    @Test("is read whole, with line ends of either kind")
    func read() throws {
        let text =
            Self.header + Self.line() + Self.line("2026-11-25", History.account, "CNY", "-12.00", "B-2")
            + "total,,CNY,13135.64,2\n"
        for text in [text, text.replacing("\n", with: "\r\n")] {
            let payOuts = try Self.read(text).payOuts
            #expect(payOuts.map(\.line) == [2, 3])
            #expect(payOuts.map(\.payOut.amount.minorUnits) == [1_314_764, -1_200])
            #expect(payOuts.map(\.payOut.reference) == ["B-1", "B-2"])
            #expect(payOuts.first?.payOut.day.merchant == Shop.otherMerchant)
            #expect(payOuts.first?.payOut.day.date.description == "2026-11-24")
        }
    }

    @Test(
        "is refused with the line and the reason",
        arguments: [
            ("", 1, "the header is"),
            ("date,account\n", 1, "the header is"),
            (header, 2, "no pay-out"),
            (header + line(), 3, "the total of CNY is missing"),
            (header + line() + "total,,CNY,13147.64,1", 3, "cut"),
            (header + line() + "total,,CNY,13147.65,1\n", 3, "the total says 1 of 13147.65 CNY"),
            (header + line() + "total,,CNY,13147.64,2\n", 3, "the lines before have 1 pay-outs"),
            (header + line() + "total,,CNY,13147.64,1\ntotal,,CNY,13147.64,1\n", 4, "once for each currency"),
            (
                header + line() + "total,,CNY,13147.64,1\n" + line("2026-11-24", History.account, "CNY", "1.00", "B-2"),
                4,
                "behind a total"
            ),
            (header + line() + line() + "total,,CNY,26295.28,2\n", 3, "line 2 has the same reference"),
            (header + line("2026-11-26") + "total,,CNY,13147.64,1\n", 2, "later than today"),
            (header + line("2026-11-24", "777290058110049") + "total,,CNY,13147.64,1\n", 2, "no merchant"),
            (
                header + line() + "total,,CNY,13147.64,1\n" + header + line() + "total,,CNY,13147.64,1\n", 4,
                "the file is doubled"
            ),
            (
                header + line("2026-11-24", History.account, "USD") + "total,,USD,13147.64,1\n", 2,
                "the account has no USD"
            ),
            (header + line("2026-11-24", History.account, "CNY", "-0.00") + "total,,CNY,0.00,1\n", 2, "amount"),
            (header + line("2026-11-24", History.account, "CNY", "+1.00") + "total,,CNY,1.00,1\n", 2, "decimals"),
            (
                header + line("2026-11-24", History.account, "CNY", "-12.00") + "total,,CNY,12.00,1\n", 3,
                "1 pay-outs of -12.00"
            ),
            (
                header + line("2026-11-24", "4711") + "total,,CNY,13147.64,1\n", 2,
                "unionpay and meadow have an account of this number"
            ),
            (header + line("2026-11-31") + "total,,CNY,13147.64,1\n", 2, "date is a day"),
            (header + line("2026-11-24", History.account, "XXQ") + "total,,CNY,13147.64,1\n", 2, "currency"),
            (header + line("2026-11-24", History.account, "CNY", "13147.6") + "total,,CNY,13147.64,1\n", 2, "decimals"),
            (header + line("2026-11-24", History.account, "CNY", "0.00") + "total,,CNY,0.00,1\n", 2, "not zero"),
            (
                header + line("2026-11-24", History.account, "CNY", "1.00", "B 1") + "total,,CNY,1.00,1\n", 2,
                "reference"
            ),
            (header + "2026-11-24,x,CNY\n", 2, "5 columns"),
            (header + "2026-11-24,\u{FF10},CNY,1.00,x\n", 1, "ASCII"),
        ])
    func refused(_ text: String, _ line: Int, _ reason: String) {
        let fault = #expect(throws: PayOutFile.Fault.self) { try Self.read(text) }
        #expect(fault?.line == line)
        #expect(fault?.reason.contains(reason) == true, "\(fault?.description ?? "")")
    }
}
