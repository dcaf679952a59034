import Foundation
import OrchardJSON
import SandboxPKI
import TestSupport
import Testing

@testable import SandboxAcquirer

/// The acquirer without sockets: answers, notifications and the control interface.
@Suite("Acquirer")
struct AcquirerTests {
    private let merchant: Merchant

    init() throws { merchant = try Merchant() }

    /// Runs `body` with an acquirer whose notifications go to `box`.
    private func withAcquirer(
        box: PostBox = PostBox(), _ body: (Acquirer) async throws -> Void
    ) async throws {
        var options = SimulatorOptions()
        options.timeScale = 0.000_1
        options.processingTime = .milliseconds(1)
        let acquirer = Acquirer(pki: merchant.pki, options: options) { box.post($0, $1) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await acquirer.run() }
            try await body(acquirer)
            group.cancelAll()
        }
    }

    /// Sends a signed message and returns the answer; nil when its signature is wrong or there is none.
    @discardableResult
    private func send(
        _ message: ACPMessage, to acquirer: Acquirer, at endpoint: RequestRules.Endpoint = .back
    ) async throws -> ACPMessage? {
        try merchant.fields(of: await acquirer.answer(merchant.signed(message).formBody, at: endpoint))
    }

    /// Waits until the book has the expected state.
    private func wait(for acquirer: Acquirer, until isReached: (Book) -> Bool) async throws {
        try await eventually { isReached(await acquirer.book) }
    }

    @Test("A sale is answered, notified and found by a query, all signed", .timeLimit(.minutes(4)))
    func sale() async throws {
        let box = PostBox()
        try await withAcquirer(box: box) { acquirer in
            let sale = merchant.sale()
            let answer = try #require(try await send(sale, to: acquirer))
            #expect(answer["respCode"] == "00")
            #expect(answer["reqReserved"] == "pay-order0001")
            try await wait(for: acquirer) { $0.transactions[0].isNotificationAcknowledged }
            let note = try #require(box.notes.first)
            #expect(note.isSigned(by: merchant.pki[.sign].certificate.publicKey))
            #expect(note["respCode"] == "00")
            #expect(note["txnAmt"] == "10000")
            #expect(note["accNo"] == "625902******3629")
            #expect(note["backUrl"] == nil)
            let found = try #require(try await send(merchant.query(sale), to: acquirer, at: .query))
            #expect(found["respCode"] == "00")
            #expect(found["origRespCode"] == "00")
            #expect(found["queryId"] == answer["queryId"])
            #expect(found["settleAmt"] == "10000")
        }
    }

    @Test("The query of a declined sale returns no amount", .timeLimit(.minutes(4)))
    func declined() async throws {
        try await withAcquirer { acquirer in
            let sale = merchant.sale(amount: 10_865)
            #expect(try await send(sale, to: acquirer)?["respCode"] == "65")
            let found = try #require(try await send(merchant.query(sale), to: acquirer, at: .query))
            #expect(found["origRespCode"] == "65")
            #expect(found["settleAmt"] == "0")
            #expect(found["queryId"] == nil)
        }
    }

    @Test(
        "A notification is repeated until it is acknowledged, at most five times", .timeLimit(.minutes(4)),
        arguments: [
            ([500, nil, 302], 3), ([500, 500, 500, 500, 500, 500], 5), ([], 1),
        ] as [([Int?], Int)])
    func repeats(_ statuses: [Int?], _ sends: Int) async throws {
        let box = PostBox(statuses: statuses)
        try await withAcquirer(box: box) { acquirer in
            try await send(merchant.sale(), to: acquirer)
            let ends = ["notifications acknowledged", "notifications given up"]
            try await eventually { await acquirer.counts.keys.contains { ends.contains($0) } }
            #expect(box.notes.count == sends)
        }
    }

    @Test(
        "Wrong notifications are wrong in one thing", .timeLimit(.minutes(4)),
        arguments: [
            (722, "respCode", "60"), (723, "respCode", "00"), (734, "txnAmt", "10735"), (735, "currencyCode", "840"),
            (736, "merId", "777290058199999"), (737, "orderId", "unknown000001"),
        ] as [(Int64, String, String)])
    func wrongNotifications(_ fault: Int64, _ field: String, _ value: String) async throws {
        let box = PostBox()
        try await withAcquirer(box: box) { acquirer in
            try await send(merchant.sale(amount: 10_000 + fault), to: acquirer)
            try await wait(for: acquirer) { $0.transactions[0].isNotificationAcknowledged }
            let note = try #require(box.notes.first)
            #expect(note.isSigned(by: merchant.pki[.sign].certificate.publicKey))
            #expect(note[field] == value)
        }
    }

    @Test(
        "Forged notifications have another signer, or a garbled signature", .timeLimit(.minutes(4)),
        arguments: [
            (730, nil), (731, AcquirerPKI.Name.impostor), (732, .foreign), (733, .signExpired),
        ] as [(Int64, AcquirerPKI.Name?)])
    func forgedNotifications(_ fault: Int64, _ signer: AcquirerPKI.Name?) async throws {
        let box = PostBox()
        try await withAcquirer(box: box) { acquirer in
            try await send(merchant.sale(amount: 10_000 + fault), to: acquirer)
            try await wait(for: acquirer) { $0.transactions[0].isNotificationAcknowledged }
            let note = try #require(box.notes.first)
            #expect(!note.isSigned(by: merchant.pki[.sign].certificate.publicKey))
            if let signer { #expect(note.isSigned(by: merchant.pki[signer].certificate.publicKey)) }
        }
    }

    @Test(
        "Answers that are none",
        arguments: [
            (700, nil), (702, 200), (703, 500), (704, 200), (713, 502),
        ] as [(Int64, Int?)])
    func badAnswers(_ fault: Int64, _ status: Int?) async throws {
        try await withAcquirer { acquirer in
            let form = try merchant.signed(merchant.sale(amount: 10_000 + fault)).formBody
            let answer = try await acquirer.answer(form, at: .back)
            #expect(answer?.status == status)
            #expect(try merchant.fields(of: answer) == nil)
        }
    }

    @Test(
        "A held sale waits at its stage, booked or not, until it is released", .timeLimit(.minutes(4)),
        arguments: [
            ("received", 0), ("booked", 1),
        ])
    func hold(_ stage: String, _ booked: Int) async throws {
        try await withAcquirer { acquirer in
            let hold: JSONValue = .object(["stage": .string(stage), "orderIdPrefix": .string("held")])
            _ = try await acquirer.control("POST hold", query: [:], body: hold)
            async let answer = send(merchant.sale("held0001"), to: acquirer)
            try await eventually { try await acquirer.control("GET held", query: [:], body: .null)[0] != nil }
            #expect(await acquirer.book.transactions.count == booked)
            let released = try await acquirer.control("POST release", query: [:], body: .object([]))
            #expect(released["released"] == .integer(1))
            #expect(try await answer?["respCode"] == "00")
        }
    }

    @Test(
        "During an outage requests get no answer, or 503", arguments: [("drop", nil), ("503", 503)] as [(String, Int?)])
    func outage(_ mode: String, _ status: Int?) async throws {
        try await withAcquirer { acquirer in
            let outage: JSONValue = .object([
                "endpoint": .string("back"), "mode": .string(mode), "seconds": .integer(60),
            ])
            _ = try await acquirer.control("POST outage", query: [:], body: outage)
            let answer = try await acquirer.answer(merchant.signed(merchant.sale()).formBody, at: .back)
            #expect(answer?.status == status)
            #expect(try await send(merchant.query(merchant.sale()), to: acquirer, at: .query)?["respCode"] == "34")
            _ = try await acquirer.control("POST reset", query: [:], body: .object([]))
            #expect(try await send(merchant.sale(), to: acquirer)?["respCode"] == "00")
        }
    }

    @Test("A card number sent encrypted is booked in clear and returned encrypted", .timeLimit(.minutes(4)))
    func encryptedCard() async throws {
        try await withAcquirer { acquirer in
            let certificate = merchant.pki[.encrypt].certificate
            let sealed = Data(try certificate.publicKey.encryptPKCS1(Array("6259020040003629".utf8)))
            let sale = merchant.sale(
                "order0001",
                [
                    "accNo": sealed.base64EncodedString(), "encryptCertId": certificate.serialNumberDecimal,
                ])
            #expect(try await send(sale, to: acquirer)?["respCode"] == "00")
            #expect(await acquirer.book.transactions.first?.card == "6259020040003629")
            try await wait(for: acquirer) { $0.transactions[0].state == .success }
            let found = try #require(try await send(merchant.query(sale), to: acquirer, at: .query))
            let back = try #require(Data(base64Encoded: found["accNo"] ?? ""))
            let clear = try merchant.pki[.merchant].key.decryptPKCS1(Array(back))
            #expect(clear == Array("6259020040003629".utf8))
        }
    }

    @Test(
        "Invalid control commands are refused",
        arguments: [
            ("POST nothing", "{}"), ("POST arm", #"{"fault":"unknown"}"#), ("POST clock", "{}"), ("POST hold", "{}"),
            ("POST outage", #"{"endpoint":"moon","seconds":1}"#), ("POST dispute", "{}"),
            ("POST day", #"{"open":"2026-02-30"}"#), ("POST dispute", #"{"settleDate":"1120","orderIds":[1]}"#),
            ("POST arm", #"{"fault":"normal","txnType":"05"}"#),
        ])
    func wrongControl(_ command: String, _ body: String) async throws {
        let value = try JSONValue(parsing: Array(body.utf8))
        try await withAcquirer { acquirer in
            await #expect(throws: ControlError.self) { try await acquirer.control(command, query: [:], body: value) }
        }
    }

    @Test("The clock and the signing certificate can be changed")
    func clockAndRotation() async throws {
        try await withAcquirer { acquirer in
            _ = try await acquirer.control("POST clock", query: [:], body: .object(["offset_s": .integer(86_400)]))
            #expect(try await send(merchant.sale(), to: acquirer)?["respCode"] == "10")
            _ = try await acquirer.control("POST rotate", query: [:], body: .object([]))
            #expect(try await send(merchant.sale(), to: acquirer) == nil)
        }
    }

    @Test("A refund is answered, notified and found by a query under its own key", .timeLimit(.minutes(4)))
    func refund() async throws {
        let box = PostBox()
        try await withAcquirer(box: box) { acquirer in
            let sold = try #require(try await send(merchant.sale(), to: acquirer))
            try await wait(for: acquirer) { $0.transactions[0].state == .success }
            let refund = merchant.followUp(.refund, of: sold["queryId"] ?? "", amount: 2_500, "refund01")
            let answer = try #require(try await send(refund, to: acquirer))
            #expect(answer["respCode"] == "00")
            #expect(answer["queryId"] != sold["queryId"])
            try await wait(for: acquirer) { $0.transactions[1].isNotificationAcknowledged }
            let found = try #require(try await send(merchant.query(refund), to: acquirer, at: .query))
            #expect(found["origRespCode"] == "00")
            let note = try #require(box.notes.last)
            #expect(note.isSigned(by: merchant.pki[.sign].certificate.publicKey))
            for message in [found, note] {
                #expect(message["txnType"] == "04")
                #expect(message["txnAmt"] == "2500")
                #expect(message["origQryId"] == sold["queryId"])
                #expect(message["queryId"] == answer["queryId"])
                #expect(message["accNo"] == "625902******3629")
            }
            let row = try await acquirer.control("GET book", query: ["kind": "04"], body: .null)[0]
            #expect(row?["origQryId"]?.string == sold["queryId"])
        }
    }

    @Test("A fault can be armed for one kind alone", .timeLimit(.minutes(4)))
    func armedKind() async throws {
        try await withAcquirer { acquirer in
            let fault: JSONValue = .object(["fault": .string("declined_60"), "txnType": .string("04")])
            _ = try await acquirer.control("POST arm", query: [:], body: fault)
            let sold = try #require(try await send(merchant.sale(), to: acquirer))
            #expect(sold["respCode"] == "00")
            try await wait(for: acquirer) { $0.transactions[0].state == .success }
            let refund = merchant.followUp(.refund, of: sold["queryId"] ?? "", amount: 10_000, "refund01")
            #expect(try await send(refund, to: acquirer)?["respCode"] == "60")
        }
    }

    @Test("A closed day's file comes signed, with the charges that are disputed", .timeLimit(.minutes(4)))
    func settlementFile() async throws {
        try await withAcquirer { acquirer in
            let today = await acquirer.now.settlementDay.suffix(4)
            #expect(try await send(merchant.sale(), to: acquirer)?["respCode"] == "00")
            try await wait(for: acquirer) { $0.transactions[0].state == .success }
            #expect(try await send(merchant.file(String(today)), to: acquirer, at: .file)?["respCode"] == "98")
            let dispute: JSONValue = .object([
                "orderIds": .array([.string("order0001")]), "settleDate": .string(String(today)),
            ])
            _ = try await acquirer.control("POST dispute", query: [:], body: dispute)
            _ = try await acquirer.control("POST clock", query: [:], body: .object(["offset_s": .integer(86_400)]))
            let asked = merchant.file(String(today), at: await acquirer.now)
            let answer = try #require(try await send(asked, to: acquirer, at: .file))
            #expect(answer["respCode"] == "00")
            #expect(answer["fileName"]?.hasSuffix("_777290058110048.zip") == true)
            #expect(Data(base64Encoded: answer["fileContent"] ?? "")?.first == 0x78)
            let file = try await acquirer.book.settlementFile(
                of: "777290058110048", on: String(today), at: acquirer.now, feeBasisPoints: 60)
            #expect(answer["fileContent"] == file.content)
            #expect(file.disputed.map(\.request.key.orderID) == ["order0001"])
        }
    }

    @Test("A day is kept open for what comes after its end, and then closed", .timeLimit(.minutes(4)))
    func openDay() async throws {
        try await withAcquirer { acquirer in
            let open: JSONValue = .object(["open": .string("2026-11-02")])
            _ = try await acquirer.control("POST day", query: [:], body: open)
            let sold = try #require(try await send(merchant.sale(), to: acquirer))
            try await wait(for: acquirer) { $0.transactions[0].state == .success }
            let voided = merchant.followUp(.saleVoid, of: sold["queryId"] ?? "", amount: 10_000, "void0001")
            #expect(try await send(voided, to: acquirer)?["respCode"] == "00")
            #expect(try await send(merchant.file("1102"), to: acquirer, at: .file)?["respCode"] == "98")
            _ = try await acquirer.control("POST day", query: [:], body: .object([]))
            #expect(try await send(merchant.file("1102"), to: acquirer, at: .file)?["respCode"] == "00")
        }
    }

    @Test("The encryption certificate is told, also after a change")
    func encryptionCertificate() async throws {
        try await withAcquirer { acquirer in
            for name in [AcquirerPKI.Name.encrypt, .encryptNext] {
                let body = try await acquirer.answer(merchant.signed(merchant.certificate()).formBody, at: .back)?.body
                let text = String(decoding: try #require(body), as: UTF8.self)
                let pem = merchant.pki[name].certificate.pem.trimmingCharacters(in: .newlines)
                #expect(text.contains("encryptPubKeyCert=" + pem.replacing("\n", with: "\r\n")))
                _ = try await acquirer.control("POST rotate", query: [:], body: .object([]))
            }
        }
    }

    @Test(
        "Notifications can be sent elsewhere",
        arguments: [
            ("http://a.example:1/n?x=%20y", "http://127.0.0.1:8", "http://127.0.0.1:8/n?x=%20y"),
            ("https://a.example/n", nil, "https://a.example/n"),
        ] as [(String, String?, String)])
    func redirected(_ address: String, _ base: String?, _ expected: String) {
        #expect(Acquirer.redirected(address, to: base) == expected)
    }
}
