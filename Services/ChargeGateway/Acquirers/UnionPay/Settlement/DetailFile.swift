import Charging
import Contracts

/// UnionPay's detail file (ZM): a line for each transaction that moved money, 41 columns in 607 bytes.
///
/// Newer kits cut the last column in two (32 and 98 with a space between), which leaves all others where they are.
struct DetailFile {
    static let widths = [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 21, 2, 32, 2, 6, 10, 13, 13, 4, 15, 2, 2, 6, 2, 4, 32, 1, 21, 15, 1, 15, 32, 13,
        13, 8, 32, 13, 13, 12, 2, 1, 131,
    ]
    /// As errors name it.
    static let name = "ZM"

    let rows: [SettlementRow]

    init(_ bytes: [UInt8], account: String) throws(SettlementFileError) {
        let file = try FixedWidthFile(bytes, name: Self.name, widths: Self.widths)
        var rows: [SettlementRow] = []
        rows.reserveCapacity(file.count)
        var lines: [String: Int] = [:]
        lines.reserveCapacity(file.count)
        for number in 0..<file.count {
            let line = try file.line(number + 1)
            let row = try Self.row(line, account: account)
            if let first = lines.updateValue(row.line, forKey: row.serial) {
                throw line.error(.duplicate, "line \(first) has the same queryId", 10)
            }
            rows.append(row)
        }
        self.rows = rows
    }

    private static func row(_ line: FixedWidthLine, account: String) throws(SettlementFileError) -> SettlementRow {
        guard line.text(28).elementsEqual(account.utf8) else {
            throw line.error(.account, "the row is of another merId", 28)
        }
        let row = SettlementRow(
            line: line.number, kind: try kind(line), serial: try line.digits(10, 21),
            trace: try line.digits(5, 10) + line.digits(4, 6), orderNumber: try line.word(12),
            reserved: reserved(line),
            amount: Money(minorUnits: try line.fen(7), currency: .cny),
            fee: try line.signedFen(16, plus: "D"), net: try line.signedFen(17, plus: "C"))
        guard row.amount.minorUnits > 0 else { throw line.error(.column, "the amount is zero", 7) }
        let moved = row.takesMoney ? row.amount.minorUnits : -row.amount.minorUnits
        guard row.net == moved - row.fee else {
            throw line.error(.rowSum, "the amount less the fee is not what is settled", 17)
        }
        return row
    }

    private static func kind(_ line: FixedWidthLine) throws(SettlementFileError) -> OperationKind {
        switch try line.digits(20, 2) {
        case "01": .sale
        case "03": .capture
        case "04": .refund
        case "31", "33": .void
        // 02 and 32 move no money, and the others are no products of ours.
        default: throw line.error(.kind, "the kind of transaction (txnType) is not known here", 20)
        }
    }

    /// What the merchant put into its reserved field, where it is of our form.
    private static func reserved(_ line: FixedWidthLine) -> String {
        let text = line.text(35)
        return text.count == 32 && text.allSatisfy(ACPSignature.isAlphanumeric)
            ? String(decoding: text, as: UTF8.self) : ""
    }
}
