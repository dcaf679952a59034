/// RD2010: a day's sums in words and figures.
struct SettlementSummary: Sendable {
    /// A kind of transaction: how many, and what is debited and credited of amount, fee and net, in fen.
    private struct Row {
        var count: Int64 = 0
        var amount = (debit: Int64(0), credit: Int64(0))
        var fee = (debit: Int64(0), credit: Int64(0))
        var net = (debit: Int64(0), credit: Int64(0))

        mutating func add(_ transaction: Transaction, fee: Int64) {
            count += 1
            let net = transaction.filedAmount - fee
            if transaction.kind.takesMoney {
                amount.credit += transaction.filedAmount
                self.fee.debit += fee
                self.net.credit += net
            } else {
                amount.debit += transaction.filedAmount
                self.fee.credit += fee
                self.net.debit += net
            }
        }
    }

    private var rows: [TransactionKind: Row] = [:]
    private var total = Row()

    init(_ transactions: [Transaction], feeBasisPoints: Int64) {
        for transaction in transactions {
            let fee = SettlementFile.fee(of: transaction.filedAmount, basisPoints: feeBasisPoints)
            rows[transaction.kind, default: Row()].add(transaction, fee: fee)
            total.add(transaction, fee: fee)
        }
    }

    /// In GBK.
    func text(merchant: String, day: String) -> [UInt8] {
        let heading = """
            银联商户清算汇总(沙盒)\r
            商户代码:\(merchant)\r
            清算日期:\(day)\r
            类型,笔数,金额(借,贷),费用(借,贷),清算(借,贷)\r

            """
        var text = GBKText.encode(heading)
        for kind in TransactionKind.allCases {
            if let row = rows[kind], let label = Self.labels[kind] { text += Self.line(label, row) }
        }
        return text + Self.line("总计", total)
    }

    private static let labels: [TransactionKind: String] = [
        .sale: "消费", .completion: "预授权完成", .refund: "退货", .saleVoid: "消费撤销", .completionVoid: "预授权完成撤销",
    ]

    private static func line(_ label: String, _ row: Row) -> [UInt8] {
        let sums = [
            row.amount.debit, row.amount.credit, row.fee.debit, row.fee.credit, row.net.debit, row.net.credit,
        ]
        let name = GBKText.encode(label)
        let blanks = [UInt8](repeating: UInt8(ascii: " "), count: max(0, 20 - name.count))
        let figures = right(String(row.count), 8) + sums.map { right(yuan($0), 16) }.joined() + "\r\n"
        return name + blanks + Array(figures.utf8)
    }

    private static func yuan(_ fen: Int64) -> String { "\(fen / 100).\(fen % 100 < 10 ? "0" : "")\(fen % 100)" }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
