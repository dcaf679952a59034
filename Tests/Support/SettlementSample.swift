/// A settlement file of UnionPay's, made without the code under test; changes make it wrong.
public struct SettlementSample: Sendable {
    /// A transaction, and cells that say something else than it does.
    public struct Row: Sendable {
        public var type: String
        public var serial: String
        public var orderNumber: String
        public var fen: Int
        public var fee: Int
        public var reserved = ""
        public var cells: [Int: String] = [:]

        /// - Parameter number: makes the acquirer's numbers of it.
        public init(_ type: String, _ number: Int, orderNumber: String, fen: Int, fee: Int) {
            self.type = type
            let digits = String(number)
            serial = "78261123120000" + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "8"
            (self.orderNumber, self.fen, self.fee) = (orderNumber, fen, fee)
        }

        /// A sale.
        public init(_ number: Int, orderNumber: String, fen: Int, fee: Int) {
            self.init("01", number, orderNumber: orderNumber, fen: fen, fee: fee)
        }

        var takes: Bool { type == "01" || type == "03" }
    }

    public static let widths = [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 21, 2, 32, 2, 6, 10, 13, 13, 4, 15, 2, 2, 6, 2, 4, 32, 1, 21, 15, 1, 15, 32, 13,
        13, 8, 32, 13, 13, 12, 2, 1, 131,
    ]
    public static let disputeWidths = [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 2, 6, 10, 4, 12, 13, 13, 15, 15, 1, 12, 2, 135,
    ]

    public var account: String
    /// YYYYMMDD.
    public var day: String
    public var rows: [Row]
    public var disputes: [Row] = []
    /// Bytes instead of those that the rows make.
    public var detail: [UInt8]?
    public var dispute: [UInt8]?
    public var summary: [UInt8]?
    /// What is done to the archive before it is packed.
    public var archive: (@Sendable (inout ZipWriter) -> Void)?

    public init(account: String, day: String = "20261123", rows: [Row]) {
        (self.account, self.day, self.rows) = (account, day, rows)
    }

    public var detailBytes: [UInt8] {
        detail
            ?? rows.flatMap { row in
                let net = row.fen - row.fee
                let cells: [Int: String] = [
                    1: "S56", 2: "88022900", 3: "00049993", 4: String(row.serial.dropFirst(14).prefix(6)),
                    5: String(row.serial.dropFirst(4).prefix(10)), 6: "625902******3629", 7: Self.digits(row.fen),
                    8: "4899", 9: "08", 10: row.serial, 11: "01", 12: row.orderNumber, 13: "01",
                    16: (row.takes ? "D" : "C") + Self.digits(row.fee), 17: (row.takes ? "C" : "D") + Self.digits(net),
                    18: "0001", 20: row.type, 21: "01", 22: "000802", 28: account, 35: row.reserved, 40: "7",
                ]
                return Self.line(Self.widths, cells.merging(row.cells) { $1 })
            }
    }

    public var disputeBytes: [UInt8] {
        dispute
            ?? disputes.flatMap { row in
                let cells: [Int: String] = [
                    1: "E74", 2: "88022900", 3: "00049993", 6: "625902******3629", 7: Self.digits(row.fen),
                    11: String(row.serial.dropFirst(14).prefix(6)), 12: String(row.serial.dropFirst(4).prefix(10)),
                    15: "C" + Self.digits(0), 16: "D" + Self.digits(row.fen), 17: account,
                ]
                return Self.line(Self.disputeWidths, cells.merging(row.cells) { $1 })
            }
    }

    public var summaryBytes: [UInt8] {
        if let summary { return summary }
        let (taken, returned) = (rows.filter(\.takes), rows.filter { !$0.takes })
        let sums = [
            returned.map(\.fen), taken.map(\.fen), taken.map(\.fee), returned.map(\.fee),
            returned.map { $0.fen - $0.fee }, taken.map { $0.fen - $0.fee },
        ].map { $0.reduce(0, +) }
        let money = sums.map { Self.padded("\($0 / 100).\($0 % 100 < 10 ? "0" : "")\($0 % 100)", 16) }.joined()
        // 商户代码: and 清算日期: and 总计 in GBK.
        return [0xC9, 0xCC, 0xBB, 0xA7, 0xB4, 0xFA, 0xC2, 0xEB, 0x3A] + Array("\(account)\r\n".utf8)
            + [0xC7, 0xE5, 0xCB, 0xE3, 0xC8, 0xD5, 0xC6, 0xDA, 0x3A] + Array("\(day)\r\n".utf8)
            + [0xD7, 0xDC, 0xBC, 0xC6] + Array(String(repeating: " ", count: 16).utf8)
            + Array((Self.padded("\(rows.count)", 8) + money + "\r\n").utf8)
    }

    /// What the acquirer's `fileContent` decodes to.
    public var package: [UInt8] {
        let date = day.dropFirst(2)
        var writer = ZipWriter([
            ZipWriter.Entry("INN\(date)88ZM_\(account)", detailBytes),
            ZipWriter.Entry("INN\(date)88ZME_\(account)", disputeBytes),
            ZipWriter.Entry("RD2010\(date)01_\(account)", summaryBytes),
        ])
        archive?(&writer)
        return Deflate.deflate(writer.bytes, hasHeader: true)
    }

    /// Cells of these widths with a space between.
    public static func line(_ widths: [Int], _ cells: [Int: String]) -> [UInt8] {
        let texts = widths.enumerated().map { index, width in
            let text = cells[index + 1] ?? ""
            return text + String(repeating: " ", count: max(0, width - text.utf8.count))
        }
        return Array((texts.joined(separator: " ") + "\r\n").utf8)
    }

    private static func digits(_ number: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 12 - text.utf8.count)) + text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}
