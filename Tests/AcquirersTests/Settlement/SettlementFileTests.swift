import Charging
import Contracts
import TestSupport
import Testing

@testable import Acquirers

@Suite("A settlement file of UnionPay")
struct SettlementFileTests {
    private static let day = SettlementDate("2026-11-23") ?? SettlementDate(Timestamp(seconds: 0), utcOffset: 0)

    private static func sample() -> SettlementSample {
        typealias Row = SettlementSample.Row
        let rows: [Row] = [
            Row("01", 1, orderNumber: number(1), fen: 10_000, fee: 60),
            Row("01", 2, orderNumber: number(2), fen: 1, fee: 0),
            Row("03", 3, orderNumber: number(3), fen: 5_000, fee: 30),
            Row("04", 4, orderNumber: number(4), fen: 3_000, fee: 18),
            Row("31", 5, orderNumber: number(5), fen: 1, fee: 0),
            Row("33", 6, orderNumber: number(6), fen: 5_000, fee: 30),
        ]
        return SettlementSample(account: Sample.account, rows: rows)
    }

    private static func number(_ row: Int) -> String { "order00000000000000000000000000\(row)" }

    private static func read(_ sample: SettlementSample) throws(SettlementFileError) -> SettlementFile {
        try SettlementPackage.read(sample.package, of: Sample.account, on: day)
    }

    private static func error(_ sample: SettlementSample) -> SettlementFileError? {
        do throws(SettlementFileError) {
            _ = try read(sample)
            return nil
        } catch { return error }
    }

    @Test("tells each row's kind, numbers, amount, fee and net, and what they sum to")
    func rows() throws {
        var sample = Self.sample()
        sample.rows[0].reserved = String(repeating: "a", count: 32)
        sample.disputes = [sample.rows[0]]
        let file = try Self.read(sample)
        #expect(file.rows.map(\.kind) == [.sale, .sale, .capture, .refund, .void, .void])
        #expect(file.rows.map(\.line) == [1, 2, 3, 4, 5, 6])
        #expect(file.rows.map(\.amount.minorUnits) == [10_000, 1, 5_000, 3_000, 1, 5_000])
        #expect(file.rows.map(\.fee) == [60, 0, 30, -18, 0, -30])
        #expect(file.rows.map(\.net) == [9_940, 1, 4_970, -2_982, -1, -4_970])
        #expect(file.rows[0].serial == "782611231200000000018" && file.rows[0].trace == "1123120000000001")
        #expect(file.rows[0].orderNumber == Self.number(1))
        #expect(file.rows[0].reserved == String(repeating: "a", count: 32) && file.rows[1].reserved.isEmpty)
        #expect(file.totals.taken == 15_001 && file.totals.returned == 8_001)
        #expect(file.totals.fees == 42 && file.totals.net == 6_958)
        #expect(file.disputes.map(\.trace) == [file.rows[0].trace] && file.disputes.map(\.code) == ["E74"])
    }

    @Test("as an independent simulator makes it is read to the fen")
    func recorded() throws {
        let file = try SettlementPackage.read(
            RecordedSettlement.content, of: RecordedSettlement.account, on: Self.day)
        #expect(file.rows.map(\.kind) == [.sale, .sale, .capture, .refund, .void, .void])
        #expect(file.rows.map(\.net) == [9_940, 12_271, 4_970, -2_982, -9_940, -4_970])
        #expect(file.totals.net == 9_289 && file.rows[1].orderNumber == "00000000000000000000000000000002")
        #expect(file.rows[1].reserved == file.rows[1].orderNumber)
        #expect(file.disputes.count == 1 && file.disputes.first?.trace == file.rows[1].trace)
    }

    @Test("of eight rows, 13,227.00 taken and 79.36 fees, comes to 13,147.64, as a real one did")
    func real() throws {
        let rows = (1...8).map {
            SettlementSample.Row($0, orderNumber: "order\($0)xyz", fen: $0 == 8 ? 165_600 : 165_300, fee: 992)
        }
        let file = try Self.read(SettlementSample(account: Sample.account, rows: rows))
        #expect(file.totals.taken == 1_322_700 && file.totals.fees == 7_936 && file.totals.net == 1_314_764)
    }

    @Test("packed again has the same content, and another row another one")
    func digest() throws {
        var stored = Self.sample()
        stored.archive = { for index in $0.entries.indices { $0.entries[index].isDeflated = false } }
        #expect(stored.package != Self.sample().package)
        #expect(try Self.read(stored).contentDigest == Self.read(Self.sample()).contentDigest)
        var other = Self.sample()
        other.rows[0].orderNumber = "another1"
        #expect(try Self.read(other).contentDigest != Self.read(Self.sample()).contentDigest)
    }

    /// What may be wrong with a file, the code, and where it is said to be.
    private static let faults:
        [(String, SettlementFileError.Code, String, @Sendable (inout SettlementSample) -> Void)] =
            [
                (
                    "a row is missing", .total, "RD2010, line 3, column 2",
                    {
                        $0.summary = sample().summaryBytes; $0.rows.removeLast()
                    }
                ),
                (
                    "a card number in the clear", .cardNumber, "the archive, line 2, column 6",
                    {
                        $0.rows[0].cells[7] = "x"; $0.rows[1].cells[6] = "6259021234563629"
                    }
                ),
                (
                    "a dispute's card number in the clear", .cardNumber, "the archive, line 1, column 6",
                    {
                        $0.disputes = [$0.rows[0]]; $0.disputes[0].cells[6] = "6259021234563629123"
                    }
                ),
                (
                    "a card number in the clear, in a file of another name", .cardNumber,
                    "the archive, line 2, column 6",
                    {
                        $0.rows[1].cells[6] = "6259021234563629"
                        $0.archive = { writer in
                            for index in writer.entries.indices where !writer.entries[index].name.hasPrefix("RD2010") {
                                writer.entries[index].name = "other\(index)"
                            }
                        }
                    }
                ),
                ("all rows are doubled", .duplicate, "ZM, line 7, column 10", { $0.rows += $0.rows }),
                ("one number twice", .duplicate, "ZM, line 2, column 10", { $0.rows[1].serial = $0.rows[0].serial }),
                ("a fen too much", .rowSum, "ZM, line 1, column 17", { $0.rows[0].cells[7] = "000000010001" }),
                (
                    "a net of the wrong sign", .rowSum, "ZM, line 1, column 17",
                    { $0.rows[0].cells[17] = "D000000009940" }
                ),
                (
                    "a fee of the wrong sign", .rowSum, "ZM, line 1, column 17",
                    { $0.rows[0].cells[16] = "C000000000060" }
                ),
                (
                    "a wrong sum", .total, "RD2010, line 3, column 4",
                    {
                        var other = $0
                        other.rows[0].fen += 1
                        $0.summary = other.summaryBytes
                    }
                ),
                (
                    "wrong fees", .total, "RD2010, line 3, column 5",
                    {
                        var other = $0
                        other.rows[0].fee += 1
                        $0.summary = other.summaryBytes
                    }
                ),
                ("no line of sums", .form, "RD2010", { $0.summary = Array("2026\r\n".utf8) }),
                ("two lines of sums", .duplicate, "RD2010, line 6", { $0.summary = $0.summaryBytes + $0.summaryBytes }),
                ("a cut summary", .form, "RD2010", { $0.summary = Array($0.summaryBytes.dropLast(3)) }),
                ("a cut line", .form, "ZM, line 6", { $0.detail = Array($0.detailBytes.dropLast(1)) }),
                ("a byte too much", .form, "ZM, line 7", { $0.detail = $0.detailBytes + [32] }),
                (
                    "only line feeds", .form, "ZM, line 1",
                    {
                        $0.detail = $0.detailBytes.map { $0 == 13 ? 32 : $0 }
                    }
                ),
                (
                    "a column that runs on", .form, "ZM, line 1, column 1",
                    {
                        var bytes = $0.detailBytes
                        bytes[3] = 65
                        $0.detail = bytes
                    }
                ),
                (
                    "a zero byte", .form, "ZM, line 1, column 1",
                    {
                        var bytes = $0.detailBytes
                        bytes[0] = 0
                        $0.detail = bytes
                    }
                ),
                ("no digits", .column, "ZM, line 2, column 7", { $0.rows[1].cells[7] = "00000000000x" }),
                ("an amount of zero", .column, "ZM, line 2, column 7", { $0.rows[1].cells[7] = "000000000000" }),
                ("a short number", .column, "ZM, line 2, column 10", { $0.rows[1].cells[10] = "78" }),
                ("no order number", .column, "ZM, line 2, column 12", { $0.rows[1].cells[12] = "" }),
                ("an order number with a sign", .column, "ZM, line 2, column 12", { $0.rows[1].cells[12] = "a-b" }),
                (
                    "a fee without its side", .column, "ZM, line 2, column 16",
                    { $0.rows[1].cells[16] = "0000000000000" }
                ),
                ("a kind of no product", .kind, "ZM, line 2, column 20", { $0.rows[1].cells[20] = "12" }),
                (
                    "another merchant's row", .account, "ZM, line 2, column 28",
                    { $0.rows[1].cells[28] = "777290058110049" }
                ),
                (
                    "another merchant's summary", .account, "RD2010, line 1",
                    {
                        var other = $0
                        other.account = "777290058110049"
                        $0.summary = other.summaryBytes
                    }
                ),
                (
                    "another day's summary", .date, "RD2010, line 2",
                    {
                        var other = $0
                        other.day = "20261124"
                        $0.summary = other.summaryBytes
                    }
                ),
                ("tomorrow's file", .date, "the archive", { $0.day = "20261124" }),
                ("last year's file", .date, "the archive", { $0.day = "20251123" }),
                ("another merchant's file", .account, "the archive", { $0.account = "777290058110049" }),
                ("no detail file", .missing, "ZM", { $0.archive = { $0.entries.removeFirst() } }),
                ("no disputes' file", .missing, "ZME", { $0.archive = { $0.entries.remove(at: 1) } }),
                ("no summary", .missing, "RD2010", { $0.archive = { $0.entries.removeLast() } }),
                (
                    "the disputes' file in place of the detail", .form, "ZM, line 1",
                    {
                        $0.disputes = [$0.rows[0]]
                        $0.detail = $0.disputeBytes
                    }
                ),
                ("disputes of the detail's widths", .form, "ZME, line 11", { $0.dispute = $0.detailBytes }),
                (
                    "one dispute twice", .duplicate, "ZME, line 2, column 11",
                    { $0.disputes = [$0.rows[0], $0.rows[0]] }
                ),
                (
                    "another merchant's dispute", .account, "ZME, line 1, column 17",
                    {
                        $0.disputes = [$0.rows[0]]
                        $0.disputes[0].cells[17] = "777290058110049"
                    }
                ),
                ("a path", .packing, "the archive", { $0.archive = { $0.entries[0].name = "../../ZM" } }),
                ("a wrong checksum", .packing, "the archive", { $0.archive = { $0.entries[0].checksum = 1 } }),
                ("a file over another", .packing, "the archive", { $0.archive = { $0.entries[1].offset = 0 } }),
                (
                    "too many files", .packing, "the archive",
                    {
                        $0.archive = { writer in writer.entries += (0..<16).map { ZipWriter.Entry("f\($0)", []) } }
                    }
                ),
            ]

    @Test("is refused whole, with code and place, when it has", arguments: faults.indices)
    func refused(_ index: Int) {
        let (name, code, place, change) = Self.faults[index]
        var sample = Self.sample()
        change(&sample)
        let error = Self.error(sample)
        #expect(
            error?.code == code && error?.place.description == place, "\(name): \(error?.description ?? "accepted")")
        #expect(error?.description.contains("3629") == false, "a card's digits are told")
    }

    @Test("that is cut, changed, rubbish or a bomb is refused as badly packed")
    func packing() {
        let package = Self.sample().package
        func code(_ content: [UInt8]) -> SettlementFileError.Code? {
            do throws(SettlementFileError) {
                _ = try SettlementPackage.read(content, of: Sample.account, on: Self.day)
                return nil
            } catch { return error.code }
        }
        for end in [0, 1, 10, package.count / 2, package.count - 1] {
            #expect(code(Array(package[..<end])) == .packing)
        }
        var numbers = SystemRandomNumberGenerator()
        #expect(code((0..<65_536).map { _ in UInt8.random(in: 0...255, using: &numbers) }) == .packing)
        #expect(code(Deflate.deflate([UInt8](repeating: 0, count: 30 << 20), hasHeader: true)) == .packing)
        var changed = package
        changed[package.count / 2] ^= 1
        #expect(code(changed) == .packing)
    }

    @Test("of a day on which nothing moved but a dispute is read")
    func empty() throws {
        var sample = Self.sample()
        sample.disputes = [sample.rows[0]]
        sample.rows = []
        let file = try Self.read(sample)
        #expect(file.rows.isEmpty && file.disputes.count == 1 && file.totals == SettlementTotals())
    }
}
