import Charging
import Contracts
import OrchardCompression
import OrchardCrypto

/// What UnionPay's file download gives for a day: a ZIP archive that is deflated once more, with the detail file
/// (`INN<yymmdd>88ZM_<merId>`), the disputes (`…ZME_<merId>`) and the summary (`RD2010…`).
enum SettlementPackage {
    /// Of an answer's body: base64 of a day of a quarter of a million rows stays below.
    static let maximumAnswer = 32 << 20
    /// Bytes of the archive.
    private static let maximumArchive = 24 << 20
    /// Files in the archive, and their bytes.
    private static let limits = ZipArchive.Limits(entries: 16, bytes: 192 << 20)

    /// Reads and checks everything.
    static func read(
        _ content: [UInt8], of account: String, on date: SettlementDate
    ) throws(SettlementFileError) -> SettlementFile {
        let digits = date.description.filter { $0 != "-" }.dropFirst(2)
        let files = try unpack(content)
        // Whatever its name is: a file of a wrong name is kept aside as well.
        for file in files where !file.name.hasPrefix("RD2010") {
            try FixedWidthFile.requireMaskedCards(file.content)
        }
        try requireSameDay(files.map(\.name), of: account, digits: String(digits))
        func file(_ name: String, _ isWanted: (String) -> Bool) throws(SettlementFileError) -> [UInt8] {
            let found = files.filter { isWanted($0.name) }
            guard found.count == 1 else {
                throw SettlementFileError(
                    .missing, found.isEmpty ? "the archive lacks the file" : "the archive has it twice", at: .init(name)
                )
            }
            return found[0].content
        }
        let rows = try DetailFile(
            try file(DetailFile.name) { $0 == "INN\(digits)88ZM_\(account)" }, account: account
        ).rows
        let disputes = try DisputeFile(
            try file(DisputeFile.name) { $0 == "INN\(digits)88ZME_\(account)" }, account: account
        ).disputes
        let summary = try SummaryFile(
            try file(SummaryFile.name) { $0.hasPrefix("RD2010") }, account: account, on: date)
        var totals = SettlementTotals()
        for row in rows where !totals.add(row) {
            throw SettlementFileError(
                .total, "the rows sum to more than 64 bits hold", at: .init(DetailFile.name, line: row.line))
        }
        try summary.check(totals, rows: rows.count)
        return SettlementFile(
            account: account, date: date, currency: .cny, rows: rows, disputes: disputes, totals: totals,
            contentDigest: digest(files))
    }

    private typealias File = (name: String, content: [UInt8])

    private static func unpack(_ content: [UInt8]) throws(SettlementFileError) -> [File] {
        do throws(CompressionError) {
            let bytes = try Inflate.inflate(content[...], .zlib, atMost: maximumArchive)
            let archive = try ZipArchive(bytes, limits: limits)
            var files: [File] = []
            for entry in archive.entries { files.append((entry.name, try archive.content(of: entry))) }
            return files
        } catch {
            throw SettlementFileError(
                .packing, "it cannot be unpacked (\(error.code.rawValue), byte \(error.place)): \(error.reason)",
                at: .init("the archive"))
        }
    }

    /// A file of another merchant or day is told by its name, before anything in it is looked at.
    private static func requireSameDay(
        _ names: [String], of account: String, digits: String
    ) throws(SettlementFileError) {
        for name in names where name.hasPrefix("INN") || name.hasPrefix("RD2010") {
            guard name.hasSuffix("_\(account)") else {
                throw SettlementFileError(.account, "a file's name has another merId", at: .init("the archive"))
            }
            guard name.dropFirst(name.hasPrefix("INN") ? 3 : 6).hasPrefix(digits) else {
                throw SettlementFileError(.date, "a file's name has another day", at: .init("the archive"))
            }
        }
    }

    private static func digest(_ files: [File]) -> [UInt8] {
        var hasher = SHA256.Hasher()
        for (name, content) in files.sorted(by: { $0.name < $1.name }) {
            hasher.update(Array("\(name.utf8.count) \(content.count) \(name)".utf8))
            hasher.update(content)
        }
        return hasher.finish()
    }
}
