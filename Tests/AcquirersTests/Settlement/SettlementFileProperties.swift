import Charging
import Contracts

#if canImport(TestSupport)
    import TestSupport
#endif

#if canImport(Acquirers)
    @testable import Acquirers
#endif

/// What holds for the reader of settlement files whatever it is fed; the fuzzer and the kept inputs ask this.
///
/// The first byte of an input says what the others are: `0` an answer of UnionPay's as it comes; `1` the detail file, the
/// disputes and the summary, with the byte 30 between; `2` the first two of them, to which a right summary is made. What is
/// packed would be out of a fuzzer's reach.
struct SettlementFileProperties {
    static let account = "777290058110048"

    let date: SettlementDate

    init?() {
        guard let date = SettlementDate("2026-11-23") else { return nil }
        self.date = date
    }

    func violation(_ input: [UInt8]) -> String? {
        guard let mode = input.first else { return nil }
        let rest = Array(input.dropFirst())
        guard mode == UInt8(ascii: "1") || mode == UInt8(ascii: "2") else {
            return violation(ofPackage: rest).violation
        }
        let pieces = rest.split(separator: 30, maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        let detail = pieces[0]
        let disputes = pieces.count > 1 ? pieces[1] : []
        let summary =
            mode == UInt8(ascii: "2") ? Self.summary(of: detail) : pieces.count > 2 ? pieces[2] : Self.summary(of: [])
        let entries = [
            ZipWriter.Entry("INN26112388ZM_\(Self.account)", detail),
            ZipWriter.Entry("INN26112388ZME_\(Self.account)", disputes),
            ZipWriter.Entry("RD201026112301_\(Self.account)", summary),
        ]
        let (violation, file) = violation(ofPackage: Self.package(entries))
        if let violation { return violation }
        // Packed otherwise, it is the same file, or refused for the same reason.
        var stored = entries
        for index in stored.indices { stored[index].isDeflated = false }
        guard self.violation(ofPackage: Self.package(stored.reversed())).file == file else {
            return "the same files packed otherwise are read otherwise"
        }
        guard let file else { return nil }
        return file.rows.count == detail.count / 609 ? nil : "rows were left out, or invented"
    }

    private func violation(ofPackage content: [UInt8]) -> (violation: String?, file: SettlementFile?) {
        do throws(SettlementFileError) {
            let file = try SettlementPackage.read(content, of: Self.account, on: date)
            return (Self.violation(of: file), file)
        } catch {
            let digits = error.description.split { !$0.isNumber }.map(\.count).max() ?? 0
            return (digits > 9 ? "the reason tells what stands in the file: \(error)" : nil, nil)
        }
    }

    /// What must hold for a file that is taken.
    private static func violation(of file: SettlementFile) -> String? {
        var (taken, returned, fees, net): (Int64, Int64, Int64, Int64) = (0, 0, 0, 0)
        for (index, row) in file.rows.enumerated() {
            let amount = row.amount.minorUnits
            guard row.line == index + 1 else { return "lines are not in order" }
            guard amount > 0, row.net == (row.takesMoney ? amount : -amount) - row.fee else {
                return "a row's amount, fee and net do not fit"
            }
            guard row.serial.count == 21, !row.orderNumber.isEmpty, row.amount.currency == .cny else {
                return "a row without a number"
            }
            if row.takesMoney { taken += amount } else { returned += amount }
            fees += row.fee
            net += row.net
        }
        guard Set(file.rows.map(\.serial)).count == file.rows.count else { return "a transaction stands there twice" }
        let totals = file.totals
        guard (totals.taken, totals.returned) == (taken, returned), (totals.fees, totals.net) == (fees, net),
            net == taken - returned - fees
        else { return "the totals are not the rows'" }
        return file.disputes.allSatisfy { $0.amount.minorUnits > 0 } ? nil : "a dispute about nothing"
    }

    private static func package(_ entries: [ZipWriter.Entry]) -> [UInt8] {
        Deflate.deflate(ZipWriter(entries).bytes, hasHeader: true)
    }

    /// A summary that says what the detail file's columns add up to, as far as they are numbers.
    private static func summary(of detail: [UInt8]) -> [UInt8] {
        // Where amount, fee, net and kind begin in a line.
        let (amountPlace, feePlace, netPlace, kindPlace) = (66, 166, 180, 215)
        var sums = [Int64](repeating: 0, count: 6)
        let count = detail.count / 609
        for line in 0..<count {
            let start = line * 609
            let kind = detail[(start + kindPlace)..<(start + kindPlace + 2)]
            let isTaken = kind.elementsEqual("01".utf8) || kind.elementsEqual("03".utf8)
            sums[isTaken ? 1 : 0] += number(detail, start + amountPlace)
            sums[detail[start + feePlace] == UInt8(ascii: "D") ? 2 : 3] += number(detail, start + feePlace + 1)
            sums[detail[start + netPlace] == UInt8(ascii: "C") ? 5 : 4] += number(detail, start + netPlace + 1)
        }
        let money = sums.map { padded("\($0 / 100).\($0 % 100 < 10 ? "0" : "")\($0 % 100)", 16) }.joined()
        // 总计 in GBK.
        return [0xD7, 0xDC, 0xBC, 0xC6] + Array("                \(padded("\(count)", 8))\(money)\r\n".utf8)
    }

    private static func number(_ bytes: [UInt8], _ start: Int) -> Int64 {
        bytes[start..<(start + 12)].reduce(0) { $0 * 10 + Int64($1 >= 48 && $1 < 58 ? $1 - 48 : 0) }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
