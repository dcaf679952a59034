import Foundation

/// The file of one UnionPay day of one merchant: what was done, what is disputed, and the sums.
struct SettlementFile: Sendable {
    let merchant: String
    /// YYYYMMDD
    let day: String
    let transactions: [Transaction]
    let disputed: [Transaction]
    let feeBasisPoints: Int64

    /// `fileName`
    var name: String { "\(day)_\(merchant).zip" }

    /// `fileContent`: base64 of a zlib stream of a zip archive.
    var content: String {
        var archive = ZipArchive()
        let date = day.dropFirst(2)
        archive.add("INN\(date)88ZM_\(merchant)", transactions.flatMap(row))
        archive.add("INN\(date)88ZME_\(merchant)", disputed.flatMap(disputeRow))
        archive.add(
            "RD2010\(date)01_\(merchant)",
            SettlementSummary(transactions, feeBasisPoints: feeBasisPoints).text(merchant: merchant, day: day))
        return Data(Zlib.compress(archive.bytes)).base64EncodedString()
    }

    /// The fee of an amount, half a fen rounded up.
    static func fee(of amount: Int64, basisPoints: Int64) -> Int64 { (amount * basisPoints + 5_000) / 10_000 }

    /// The columns that both files begin with.
    private func head(_ transaction: Transaction) -> [Int: String] {
        [
            1: "S56", 2: "88022900", 3: "00049993", 4: transaction.traceNumber, 5: transaction.traceTime,
            6: transaction.maskedCard, 7: Self.digits(transaction.filedAmount), 8: "4899", 9: "08",
        ]
    }

    /// The acquirer keeps its fee of what it takes, and gives it back with what it returns.
    private func row(_ transaction: Transaction) -> [UInt8] {
        let fee = Self.fee(of: transaction.filedAmount, basisPoints: feeBasisPoints)
        let (feeSide, netSide) = transaction.kind.takesMoney ? ("D", "C") : ("C", "D")
        let net = netSide + Self.digits(transaction.filedAmount - fee)
        let fields = transaction.request.fields
        var cells = head(transaction)
        cells.merge([
            10: transaction.queryID, 11: "01", 12: fields["orderId"] ?? "", 13: "01", 16: feeSide + Self.digits(fee),
            17: net, 18: "0001", 20: transaction.kind.rawValue, 21: fields["txnSubType"] ?? "",
            22: fields["bizType"] ?? "", 27: transaction.originalQueryID ?? "", 28: merchant, 30: Self.zeros(15),
            32: " " + Self.zeros(12), 33: net, 34: "01080209",
            35: String((fields["reqReserved"] ?? "").filter(\.isASCII)), 36: " " + Self.zeros(12),
            37: " " + Self.zeros(12), 38: " " + Self.zeros(11), 40: "7",
        ]) { $1 }
        return FixedWidthLine.transaction.line(cells)
    }

    private func disputeRow(_ transaction: Transaction) -> [UInt8] {
        let amount = Self.digits(transaction.amount)
        var cells = head(transaction)
        cells.merge([
            1: "E74", 10: "01", 11: transaction.traceNumber, 12: transaction.traceTime, 13: "4544", 14: amount,
            15: "C" + Self.zeros(12), 16: "D" + amount, 17: merchant, 18: Self.zeros(15), 20: Self.zeros(12),
            21: transaction.kind.rawValue, 22: transaction.queryID,
        ]) { $1 }
        return FixedWidthLine.dispute.line(cells)
    }

    private static func digits(_ fen: Int64) -> String { zeros(max(0, 12 - String(fen).count)) + String(fen) }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }
}

extension Book {
    /// The file of the latest closed day with that date.
    ///
    /// - Parameter date: MMDD
    /// - Throws: 98 while the day is open, or when it has no rows.
    func settlementFile(
        of merchant: String, on date: String, at now: BeijingTime, feeBasisPoints: Int64
    ) throws(Refusal) -> SettlementFile {
        let today = settlementDay(at: now)
        guard let year = Int(today.prefix(4)) else { throw Refusal(.noSuchFile) }
        let day = ["\(year)\(date)", "\(year - 1)\(date)"].first { $0 < today } ?? ""
        let done = transactions.filter { $0.request.key.merchant == merchant && $0.state == .success }
        let rows = done.filter { $0.settlementDay == day && $0.kind.isSettled && $0.fault.isInFile }
        let disputed = done.filter {
            $0.kind.takesMoney && disputes.contains(Dispute(orderID: $0.request.key.orderID, date: date))
        }
        guard !rows.isEmpty || !disputed.isEmpty else { throw Refusal(.noSuchFile) }
        return SettlementFile(
            merchant: merchant, day: day, transactions: rows, disputed: disputed, feeBasisPoints: feeBasisPoints)
    }
}
