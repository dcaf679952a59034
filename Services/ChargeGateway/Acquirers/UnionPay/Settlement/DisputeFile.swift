import Charging
import Contracts

/// UnionPay's file of errors and disputes (ZME): 22 columns in 339 bytes. Its widths are not those of the detail file.
struct DisputeFile {
    static let widths = [3, 11, 11, 6, 10, 19, 12, 4, 2, 2, 6, 10, 4, 12, 13, 13, 15, 15, 1, 12, 2, 135]
    /// As errors name it.
    static let name = "ZME"

    let disputes: [SettlementDispute]

    init(_ bytes: [UInt8], account: String) throws(SettlementFileError) {
        let file = try FixedWidthFile(bytes, name: Self.name, widths: Self.widths)
        var disputes: [SettlementDispute] = []
        var seen: Set<String> = []
        for number in 0..<file.count {
            let line = try file.line(number + 1)
            guard line.text(17).elementsEqual(account.utf8) else {
                throw line.error(.account, "the row is of another merId", 17)
            }
            let dispute = SettlementDispute(
                line: line.number, trace: try line.digits(12, 10) + line.digits(11, 6),
                amount: Money(minorUnits: try line.fen(7), currency: .cny), code: try line.word(1))
            guard dispute.amount.minorUnits > 0 else { throw line.error(.column, "the amount is zero", 7) }
            guard seen.insert("\(dispute.trace) \(dispute.code)").inserted else {
                throw line.error(.duplicate, "the same dispute stands above", 11)
            }
            disputes.append(dispute)
        }
        self.disputes = disputes
    }
}
