import Charging
import Contracts

/// UnionPay's summary of a day (RD2010), GBK: a line for each kind of transaction, and one that sums them all.
///
/// Of it only the last is needed: label (20 bytes), rows (8), then debit and credit of amounts, fees and nets in yuan (16
/// each), without spaces between.
struct SummaryFile {
    /// As errors name it.
    static let name = "RD2010"
    /// 总计, 商户代码: and 清算日期: in GBK.
    private static let total: [UInt8] = [0xD7, 0xDC, 0xBC, 0xC6]
    private static let merchant: [UInt8] = [0xC9, 0xCC, 0xBB, 0xA7, 0xB4, 0xFA, 0xC2, 0xEB, 0x3A]
    private static let date: [UInt8] = [0xC7, 0xE5, 0xCB, 0xE3, 0xC8, 0xD5, 0xC6, 0xDA, 0x3A]
    private static let lineLength = 20 + 8 + 6 * 16
    /// A summary has a line for each kind of transaction.
    private static let maximumBytes = 64 << 10

    private let line: Int
    private let rows: Int64
    /// Debit and credit of amounts, fees and nets, in fen.
    private let sums: [Int64]

    init(_ bytes: [UInt8], account: String, on day: SettlementDate) throws(SettlementFileError) {
        guard bytes.count <= Self.maximumBytes else {
            throw SettlementFileError(.packing, "more than \(Self.maximumBytes) bytes", at: .init(Self.name))
        }
        guard bytes.suffix(2) == [13, 10] else {
            throw SettlementFileError(.form, "the last line does not end with CRLF: it is cut", at: .init(Self.name))
        }
        let digits = day.description.filter { $0 != "-" }
        var found: (line: Int, bytes: ArraySlice<UInt8>)?
        for (index, text) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
            let (line, place) = (text.last == 13 ? text.dropLast() : text, index + 1)
            if line.starts(with: Self.merchant), !line.dropFirst(Self.merchant.count).elementsEqual(account.utf8) {
                throw SettlementFileError(
                    .account, "the summary is of another merId", at: .init(Self.name, line: place))
            }
            if line.starts(with: Self.date), !line.dropFirst(Self.date.count).elementsEqual(digits.utf8) {
                throw SettlementFileError(.date, "the summary is of another day", at: .init(Self.name, line: place))
            }
            guard line.starts(with: Self.total) else { continue }
            guard found == nil else {
                throw SettlementFileError(.duplicate, "a second line of sums", at: .init(Self.name, line: place))
            }
            found = (place, line)
        }
        guard let found, found.bytes.count == Self.lineLength else {
            throw SettlementFileError(
                .form, "there is no line of sums of \(Self.lineLength) bytes", at: .init(Self.name, line: found?.line))
        }
        line = found.line
        var cells: [Int64] = []
        for column in 0..<7 {
            let start = found.bytes.startIndex + (column == 0 ? 20 : 12 + 16 * column)
            let cell = found.bytes[start..<(start + (column == 0 ? 8 : 16))].drop { $0 == UInt8(ascii: " ") }
            guard let number = column == 0 ? Self.number(cell) : Self.fen(cell) else {
                throw SettlementFileError(
                    .column, column == 0 ? "a number is expected" : "yuan with two decimals are expected",
                    at: .init(Self.name, line: found.line, column: column + 2))
            }
            cells.append(number)
        }
        (rows, sums) = (cells[0], Array(cells[1...]))
    }

    /// Compares with what the rows sum to.
    func check(_ totals: SettlementTotals, rows count: Int) throws(SettlementFileError) {
        let compared: [(String, isEqual: Bool, column: Int)] = [
            ("the number of rows", rows == Int64(count), 2), ("what was given back", sums[0] == totals.returned, 3),
            ("what was taken", sums[1] == totals.taken, 4), ("the fees", sums[2] - sums[3] == totals.fees, 5),
            ("the net", sums[5] - sums[4] == totals.net, 8),
        ]
        for (what, isEqual, column) in compared where !isEqual {
            throw SettlementFileError(
                .total, "\(what) is not what the detail file sums to", at: .init(Self.name, line: line, column: column))
        }
    }

    private static func number(_ text: ArraySlice<UInt8>) -> Int64? {
        guard (1...15).contains(text.count), text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return text.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    private static func fen(_ text: ArraySlice<UInt8>) -> Int64? {
        guard text.count >= 4, text[text.endIndex - 3] == UInt8(ascii: "."), let yuan = number(text.dropLast(3)),
            let rest = number(text.suffix(2))
        else { return nil }
        return yuan * 100 + rest
    }
}
