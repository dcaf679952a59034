import Foundation
import SandboxProcesses
import TestSupport
import Testing

@testable import SandboxAcquirer

/// The acquirer's file of a day.
@Suite("Settlement file")
struct SettlementFileTests {
    private let merchant: Merchant
    private var book = Book()
    /// 31 December 2026, 22:00 in Beijing.
    private let evening = BeijingTime(seconds: 1_798_725_600)

    init() throws { merchant = try Merchant(now: evening) }

    private mutating func sale(_ orderID: String, _ amount: Int64 = 10_000, after seconds: Int64 = 0) throws {
        let request = TransactionRequest(merchant.sale(orderID, amount: amount), .sale, card: "6259020040003629")
        let queryID = try book.submit(request, at: BeijingTime(seconds: evening.seconds + seconds)).queryID
        book.finish(try #require(queryID))
    }

    /// The day and the order numbers of the file that is asked for so many hours later; nil for 98.
    private func file(_ date: String, hours: Int64, of account: String? = nil) -> (day: String, orders: [String])? {
        let now = BeijingTime(seconds: evening.seconds + hours * 3_600)
        let file = try? book.settlementFile(
            of: account ?? merchant.pki.merchants[0], on: date, at: now, feeBasisPoints: 60)
        return file.map { ($0.day, $0.transactions.map(\.request.key.orderID)) }
    }

    @Test("It is there when its day is closed, at 23:00, and has rows")
    mutating func closedDays() throws {
        try sale("today001")
        try sale("tomorrow1", after: 3_600)
        #expect(file("1231", hours: 0) == nil)
        let closed = try #require(file("1231", hours: 1))
        #expect(closed == ("20261231", ["today001"]))
        #expect(file("0101", hours: 1) == nil)
        #expect(try #require(file("0101", hours: 25)) == ("20270101", ["tomorrow1"]))
        #expect(file("0102", hours: 100) == nil, "a day without rows has no file")
        #expect(file("1231", hours: 1, of: "777290058199999") == nil)
    }

    @Test("Failed sales, holds and what the fault leaves out are not in it")
    mutating func rows() throws {
        try sale("missing1", 10_750)
        try sale("failed01", 10_964)
        try sale("present1")
        #expect(try #require(file("1231", hours: 24)).orders == ["present1"])
    }

    @Test("A till's sale and another amount are in it, with their fees and sums")
    mutating func wrongRows() throws {
        try sale("misstated", 20_000)
        book.sellAtTill(of: merchant.pki.merchants[0], "till1", amount: 1_234, at: evening)
        book.sellAtTill(of: merchant.pki.merchants[0], "till1", amount: 1_234, at: evening)
        book.misstate("misstated", amount: 10_000)
        #expect(try #require(file("1231", hours: 1)).orders == ["misstated", "till1"])
        let now = BeijingTime(seconds: evening.seconds + 3_600)
        let transactions = try book.settlementFile(
            of: merchant.pki.merchants[0], on: "1231", at: now, feeBasisPoints: 60
        ).transactions
        let summary = SettlementSummary(transactions, feeBasisPoints: 60).text(merchant: "1", day: "20261231")
        let sums = String(decoding: summary, as: UTF8.self).split(separator: "\r\n").last?.split(separator: " ")
        #expect(sums?.suffix(7) == ["2", "0.00", "112.34", "0.67", "0.00", "0.00", "111.67"])
    }

    @Test("The fee is rounded half up")
    func fee() {
        #expect([83, 84, 250, 476_800].map { SettlementFile.fee(of: $0, basisPoints: 60) } == [0, 1, 2, 2_861])
    }

    @Test("A line has its columns' widths, whatever is in them")
    func widths() {
        let long = Dictionary(uniqueKeysWithValues: (1...41).map { ($0, String(repeating: "x", count: 200)) })
        for cells in [[:], long] {
            #expect(FixedWidthLine.transaction.line(cells).count == 609)
            #expect(FixedWidthLine.dispute.line(cells).count == 341)
        }
    }

    /// Days of random transactions: every decision of the book, and every byte of the files, as the independent acquirer
    /// makes them.
    @Test(
        "Book and files agree with the independent acquirer's", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"),
        .timeLimit(.minutes(2)), arguments: [UInt64(1), 2, 3])
    func oracle(seed: UInt64) async throws {
        let days = try RandomDays(seed: seed, merchant: merchant)
        let folder = try TemporaryFolder()
        try merchant.pki.save(to: folder.url)
        let input = folder.url.appending(path: "days.json")
        try JSONEncoder().encode(days.record).write(to: input)
        let result = try await Oracles.run(["-c", Self.program, Oracles.folder, folder.url.path, input.path])
        #expect(result.output == "\(days.record.requests.count) requests and \(days.record.files.count) files agree\n")
        #expect(days.record.files.count > 20)
        let codes = Set(days.record.requests.map(\.code))
        #expect(codes.isSuperset(of: ["00", "35", "36", "45", "60"]))
    }

    private static let program = """
        import argparse, base64, io, json, pathlib, sys, zipfile, zlib; sys.path.insert(0, sys.argv[1])
        from datetime import datetime
        import unionpay_acquirer as sim
        options = argparse.Namespace(dir=pathlib.Path(sys.argv[2]), storm={}, sign_threads=1, notify_failures=False)
        acquirer, days = sim.Acquirer(options), json.loads(pathlib.Path(sys.argv[3]).read_text())
        for r in days["requests"]:
            f, moment = r["fields"], datetime.fromtimestamp(r["now"], sim.BEIJING)
            acquirer.now = lambda: moment
            kind, amount, card = f["txnType"], int(f["txnAmt"]), f.get("accNo", "")
            orig = None
            if kind in sim.FOLLOW_UPS:
                by_key = acquirer.txns.get((f["merId"], f.get("origOrderId", ""), f.get("origTxnTime", "")))
                orig = acquirer.by_query_id.get(f["origQryId"]) if "origQryId" in f else by_key
            refusal = acquirer.rule(kind, f, amount, card, orig)
            fault = sim.Fault("x", final=refusal or r["final"], notify="none")
            t = sim.Txn({k: f[k] for k in sim.KEPT if k in f and k != "backUrl"}, kind, amount, r["queryId"],
                        sim.unionpay_day(moment), card or (orig.card if orig else ""), fault, orig)
            acquirer.txns[(f["merId"], f["orderId"], f["txnTime"])] = acquirer.by_query_id[t.queryId] = t
            if refusal:
                t.state, t.code = "failed", refusal
            else:
                acquirer.reserve(t, +1)
                acquirer.finish(t)
            assert (t.code, t.settleDay) == (r["code"], r["day"]), (r, t.code, t.settleDay)
        for file in days["files"]:
            done = [t for t in acquirer.txns.values() if t.state == "success"]
            rows = [t for t in done if t.settleDay == file["day"] and t.kind in ("01", "03", "04", "31", "33")]
            disputes = [t for t in done if t.f["orderId"] in file["disputed"] and t.kind in sim.TAKING]
            theirs, ours = (zipfile.ZipFile(io.BytesIO(data)) for data in (
                sim.settlement_zip(days["merId"], file["day"], rows, disputes, 60),
                zlib.decompress(base64.b64decode(file["content"]))))
            assert ours.testzip() is None and ours.namelist() == theirs.namelist(), ours.namelist()
            for name in ours.namelist():
                a, b = ours.read(name), theirs.read(name)
                if name.startswith("RD"):  # the heading names the simulator, and kinds stand in no order
                    a, b = (sorted(text.decode("gbk").split("\\r\\n")[1:]) for text in (a, b))
                assert a == b, (name, a, b)
        print(len(days["requests"]), "requests and", len(days["files"]), "files agree")
        """
}
