import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardServiceKit
import SandboxAcquirer
import SandboxProcesses
import TestSupport
import Testing

@testable import Acquirers

@Suite("The download of a settlement file", .timeLimit(.minutes(3)))
struct SettlementDownloadTests {
    private static let day = SettlementDate("2026-11-23") ?? SettlementDate(Timestamp(seconds: 0), utcOffset: 0)
    private static let time = UnionPayFixture.now

    /// The signed answer to the request, but for what `changes` says.
    private static func answer(
        _ fixture: UnionPayFixture, _ changes: [String: String] = [:]
    ) throws -> SettlementAnswer {
        let message = SignedMessage(
            [
                "merId": Sample.account, "txnType": "76", "txnSubType": "01", "txnTime": time.transactionTime,
                "settleDate": "1123", "fileType": "00", "fileName": "20261123.zip", "bizType": "000000",
                "fileContent": Data([1, 2, 3]).base64EncodedString(),
            ], changes)
        let body = try message.signed(by: fixture.pki[.sign]).answer
        return fixture.unionPay.settlementAnswer(
            UnionPayFixture.answered(body), of: Sample.account, on: day, at: time)
    }

    @Test("is believed when UnionPay signed it, and it is about this account, day and request")
    func believed() throws {
        let fixture = try UnionPayFixture()
        #expect(try Self.answer(fixture) == .file([1, 2, 3]))
        #expect(try Self.answer(fixture, ["respCode": "98", "fileContent": ""]) == .noFile)
        for (changes, words) in [
            (["merId": "777290058110049"], "another request"), (["settleDate": "1124"], "another day"),
            (["txnType": "01"], "another request"), (["txnTime": "20260101000000"], "another request"),
            (["fileContent": ""], "no fileContent in base64"), (["fileContent": "@@@@"], "no fileContent in base64"),
            (["respCode": "06"], "answered 06"), (["respCode": ""], "no respCode"),
        ] {
            guard case .failed(let reason) = try Self.answer(fixture, changes) else {
                Issue.record("\(changes) is taken")
                continue
            }
            #expect(reason.contains(words), "\(changes): \(reason)")
        }
        guard case .misconfigured = try Self.answer(fixture, ["respCode": "11"]) else {
            Issue.record("our signature is refused, and nobody is told")
            return
        }
    }

    @Test("that somebody else signed is not believed")
    func forged() throws {
        let fixture = try UnionPayFixture()
        let message = SignedMessage([
            "merId": Sample.account, "txnType": "76", "txnSubType": "01", "txnTime": Self.time.transactionTime,
            "settleDate": "1123", "fileContent": Data([1, 2, 3]).base64EncodedString(),
        ])
        for identity in [fixture.pki[.impostor], fixture.pki[.foreign]] {
            let body = try message.signed(by: identity).answer
            let answer = fixture.unionPay.settlementAnswer(
                UnionPayFixture.answered(body), of: Sample.account, on: Self.day, at: Self.time)
            guard case .misconfigured = answer else {
                Issue.record("believed: \(answer)")
                continue
            }
        }
    }

    @Test("is not made without an address, and says which setting is missing")
    func withoutAddress() async throws {
        let fixture = try UnionPayFixture()
        #expect(!fixture.unionPay.settlesByFile(Sample.account))
        let answer = await fixture.unionPay.fetchSettlement(of: Sample.account, on: Self.day, at: Self.time)
        #expect(answer == .misconfigured(reason: "unionpay.settlement.url is missing: where files are downloaded"))
    }

    @Test(
        "from the independent acquirer: 98 for a day without rows, and a day's file that is read to the fen",
        .enabled(if: Oracles.arePresent, Comment(rawValue: Oracles.absence)))
    func oracle() async throws {
        let pki = try AcquirerPKI(merchants: [Sample.account])
        let folder = try TemporaryFolder()
        try pki.save(to: folder.url)
        let program = try ChildProcess(
            ChildCommand(
                Oracles.python,
                [Oracles.path("unionpay_acquirer.py"), "serve", folder.url.path, "--port", "0", "--process-ms", "1"],
                output: .pipe, errors: .null))
        defer { program.signal(SIGKILL) }
        let url = "http://127.0.0.1:\(try #require(await program.line()).replacing("ready ", with: ""))"
        let client = HTTPClient()
        try await withService(client) {
            let fixture = try UnionPayFixture(pki: pki, url: url, client: client) { $0.settlementURL = "\(url)/file" }
            let unionPay = fixture.unionPay
            // A sale of yesterday: the acquirer's clock stands there while it is made.
            try Self.setClock(url, -86_400)
            let yesterday = UnionPayFixture.now - .seconds(86_400)
            let charge = try Sample.charge(fen: 12_345, at: yesterday)
            let outcome = await unionPay.send(charge, card: try Sample.card(), at: UnionPayFixture.now)
            guard case .answered = outcome else { Issue.record("the sale: \(outcome)"); return }
            try await Task.sleep(for: .milliseconds(300))
            try Self.setClock(url, 0)
            let day = SettlementCalendar.unionPay.day(of: yesterday)
            let answer = await unionPay.fetchSettlement(of: Sample.account, on: day, at: UnionPayFixture.now)
            guard case .file(let content) = answer else { Issue.record("the file: \(answer)"); return }
            let file = try unionPay.settlementFile(content, of: Sample.account, on: day)
            #expect(file.rows.map(\.orderNumber) == [charge.reference?.orderNumber])
            #expect(file.totals.taken == 12_345 && file.totals.net == 12_345 - 74)
            #expect(charge.reserved.hasPrefix(file.rows.first?.reserved ?? "x"))
            let other = await unionPay.fetchSettlement(
                of: Sample.account, on: day.adding(days: -3), at: UnionPayFixture.now)
            #expect(other == .noFile)
        }
    }

    private static func setClock(_ url: String, _ offset: Int) throws {
        let script =
            "import urllib.request as u; u.urlopen(u.Request('\(url)/_control/clock', b'{\"offset_s\": \(offset)}'))"
        let run = try ProgramRun(Oracles.python, ["-c", script])
        #expect(run.status == 0)
    }
}
