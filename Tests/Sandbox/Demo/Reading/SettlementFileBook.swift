import Contracts
import OrchardCompression
import OrchardPostgres

/// A transaction in the acquirer's settlement file. Amounts in minor units.
struct FiledTransaction: Hashable, Sendable {
    let order: OrderID
    /// `txnType`: 01 a sale, 03 a completion, 04 a refund, 31 and 33 voids.
    let kind: String
    var amount: Int64
    /// What the acquirer keeps, and what it owes: negative for what is given back.
    let fee, net: Int64

    /// What the shop has more by it.
    var change: Int64 { ["01", "03"].contains(kind) ? amount : -amount }
}

/// Reads the files that the gateway keeps as it fetched them, by the columns that UnionPay describes and without the
/// gateway's own code.
struct SettlementFileBook {
    /// To the gateway's database.
    let connection: PostgresConnection

    func transactions() async throws -> [FiledTransaction] {
        try await connection.query("SELECT content FROM gateway.settlement_files").flatMap { row in
            try Self.transactions(in: try row.bytes("content"))
        }
    }

    /// The rows of the detail file (ZM) in an archive that is deflated once more.
    static func transactions(in content: [UInt8]) throws -> [FiledTransaction] {
        let bytes = try Inflate.inflate(content[...], .zlib, atMost: 1 << 28)
        let archive = try ZipArchive(bytes, limits: ZipArchive.Limits(entries: 16, bytes: 1 << 28))
        return try archive.entries.filter { $0.name.contains("88ZM_") }.flatMap { entry in
            try archive.content(of: entry).split(separator: UInt8(ascii: "\n")).map { try transaction(Array($0)) }
        }
    }

    /// Widths of the columns up to the last one that is read; one space is between two.
    private static let widths = [
        3, 11, 11, 6, 10, 19, 12, 4, 2, 21, 2, 32, 2, 6, 10, 13, 13, 4, 15, 2, 2, 6, 2, 4, 32, 1, 21, 15, 1, 15, 32,
        13, 13, 8, 32,
    ]

    private static func transaction(_ line: [UInt8]) throws -> FiledTransaction {
        func column(_ number: Int) throws -> String {
            let start = widths[..<(number - 1)].reduce(0) { $0 + $1 + 1 }
            guard line.count >= start + widths[number - 1] else { throw DemoError("a row of a settlement file is cut") }
            let bytes = line[start..<(start + widths[number - 1])]
            return String(decoding: bytes, as: UTF8.self).replacing(" ", with: "")
        }
        /// C is what the merchant gets, D what it pays.
        func signed(_ number: Int, positive: Character) throws -> Int64 {
            let text = try column(number)
            guard let sign = text.first, let amount = Int64(text.dropFirst()) else {
                throw DemoError("column \(number) of a settlement file is no amount: \(text)")
            }
            return sign == positive ? amount : -amount
        }
        // Our order is the first half of `reqReserved`, of which the file repeats so much.
        guard let order = OrderID(try column(35)), let amount = Int64(try column(7)) else {
            throw DemoError("a row of a settlement file names no order of ours, or no amount")
        }
        return FiledTransaction(
            order: order, kind: try column(20), amount: amount, fee: try signed(16, positive: "D"),
            net: try signed(17, positive: "C"))
    }
}
