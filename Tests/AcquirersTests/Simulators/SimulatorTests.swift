import Charging
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit
import SandboxAcquirer
import TestSupport
import Testing

@testable import Acquirers

/// The connector before acquirers that keep a book and misbehave, over real HTTP.
@Suite("Before an acquirer")
struct SimulatorTests {
    /// Two connectors to one simulator: what is expected to answer is given time, the rest is not waited for.
    private struct Connectors {
        let patient: UnionPay
        let brief: UnionPay
    }

    /// Runs `body` with connectors to the simulator.
    private func withUnionPay(
        _ simulator: Simulator, notifications: String = "http://127.0.0.1:9/notify", log: LogRecorder = LogRecorder(),
        _ body: @escaping @Sendable (Connectors) async throws -> Void
    ) async throws {
        let plain = try UnionPayFixture()
        try await simulator.run(plain.pki, in: plain.folder.url) { url in
            let client = HTTPClient(logger: log.logger)
            let connectors = try [Duration.seconds(30), .seconds(2)].map { timeout in
                try UnionPayFixture(
                    pki: plain.pki, url: url, notifications: notifications, client: client, logger: log.logger
                ) { $0.saleTimeout = timeout }.unionPay
            }
            try await withService(client) {
                try await body(Connectors(patient: connectors[0], brief: connectors[1]))
            }
        }
    }

    /// The charge of an amount that ends in `number`.
    private func charge(_ number: Int) throws -> Charge {
        try Sample.charge("order\(number.padded(to: 3))", fen: Int64(10_000 + number), at: UnionPayFixture.now)
    }

    /// The words of queries until they are those expected, or too many to be.
    private func queries(_ charge: Charge, _ unionPay: UnionPay, until expected: [String]) async throws -> [String] {
        var texts: [String] = []
        for _ in 0..<50 where texts != expected {
            let next = await unionPay.query(charge, at: UnionPayFixture.now).text
            if next != "accepted", next != texts.last { texts.append(next) }
            if texts != expected { try await Task.sleep(for: .milliseconds(10)) }
        }
        return texts
    }

    private func faults(_ simulator: Simulator) async throws {
        let log = LogRecorder()
        try await withUnionPay(simulator, log: log) { connectors in
            for fault in Misbehaviour.all {
                let charge = try charge(fault.number)
                let unionPay = fault.mayTimeOut ? connectors.brief : connectors.patient
                let outcome = await unionPay.send(charge, card: try Sample.card(), at: UnionPayFixture.now)
                #expect(outcome.matches(fault.sale), "\(fault.number): \(outcome.text)")
                let texts = try await queries(charge, unionPay, until: fault.queries)
                #expect(texts == fault.queries, "\(fault.number)")
            }
        }
        #expect(log.all.contains { $0.contains("respCode\": \"64\"") && $0.contains("detail\": \"6") })
        for secret in [Sample.pan, Sample.pin, Sample.emv, "tom"] {
            #expect(!log.all.contains { $0.contains(secret) })
        }
    }

    // Failure scenarios 8, 22, 51.
    @Test("Every fault of the sandbox's acquirer ends as it must", .timeLimit(.minutes(5)))
    func sandboxFaults() async throws { try await faults(.sandbox) }

    // Failure scenarios 8, 22, 51.
    @Test(
        "Every fault of the independent acquirer ends as it must",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonFaults() async throws { try await faults(.python) }

    private func repetitions(_ simulator: Simulator) async throws {
        try await withUnionPay(simulator) { connectors in
            let unionPay = connectors.patient
            func send(_ charge: Charge, by connector: UnionPay = unionPay) async throws -> String {
                await connector.send(charge, card: try Sample.card(), at: UnionPayFixture.now).text
            }
            // Lost on its way, then sent again under the same key: booked once, and a third one is known there.
            let lost = try charge(701)
            #expect(try await send(lost, by: connectors.brief).hasPrefix("unknown"))
            #expect(try await send(lost) == "accepted")
            #expect(try await send(lost) == "alreadyKnown")
            #expect(try await queries(lost, unionPay, until: ["paid"]) == ["paid"])
            // The acquirer never says; nor do we.
            let silent = try charge(741)
            #expect(try await send(silent) == "accepted")
            for _ in 0..<5 { #expect(await unionPay.query(silent, at: UnionPayFixture.now).text == "accepted") }
            // A time that the acquirer does not take is our fault.
            let old = try Sample.charge("old00001", at: UnionPayFixture.now - .seconds(20 * 60))
            #expect(try await send(old) == "declined configuration")
            #expect(await unionPay.query(old, at: UnionPayFixture.now).text == "notFound")
        }
    }

    // Failure scenario 32.
    @Test("The key makes a repetition harmless at the sandbox's acquirer", .timeLimit(.minutes(5)))
    func sandboxRepetitions() async throws { try await repetitions(.sandbox) }

    // Failure scenario 32.
    @Test(
        "The key makes a repetition harmless at the independent acquirer",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonRepetitions() async throws { try await repetitions(.python) }

    // Failure scenario 7.
    @Test("Nobody there: surely not sent, and a query that failed", .timeLimit(.minutes(5)))
    func nobody() async throws {
        let client = HTTPClient()
        let fixture = try UnionPayFixture(url: "http://127.0.0.1:1", client: client)
        try await withService(client) {
            let charge = try charge(0)
            let outcome = await fixture.unionPay.send(charge, card: try Sample.card(), at: UnionPayFixture.now)
            #expect(outcome.text.hasPrefix("notSent connect"))
            #expect(await fixture.unionPay.query(charge, at: UnionPayFixture.now).text == "failed")
        }
    }

    /// What a notification claims, or why it is refused.
    private static let claims: [(number: Int, text: String)] = [
        (0, "paid 10000 156"), (722, "declined issuerDeclined 10722 156"), (723, "paid 10723 156"),
        (725, "paid 10725 156"), (730, "signature"), (731, "untrustedCertificate"), (732, "foreignCertificate"),
        (733, "expiredCertificate"), (734, "paid 10735 156"), (735, "paid 10735 840"), (736, "account"),
        (737, "another order"), (906, "paid, with a remark 10906 156"), (965, "declined incorrectPIN 10965 156"),
    ]

    private func notifications(_ simulator: Simulator) async throws {
        let (bodies, arrived) = AsyncStream<[UInt8]>.makeStream()
        var router = Router()
        router.on(.post, "/unionpay/notify") { request, _ in
            arrived.yield(request.body)
            return HTTPResponse(status: .ok)
        }
        let server = HTTPServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router,
            logger: Logger(label: "test"))
        try await withService(server) {
            // A query in the address must not matter: the signature is over the body.
            let address = try await "http://127.0.0.1:\(server.boundPort)/unionpay/notify?gateway=2"
            try await withUnionPay(simulator, notifications: address) { connectors in
                let unionPay = connectors.patient
                var bodies = bodies.makeAsyncIterator()
                for (number, expected) in Self.claims {
                    let charge = try charge(number)
                    _ = await unionPay.send(charge, card: try Sample.card(), at: UnionPayFixture.now)
                    let body = try #require(await bodies.next())
                    #expect(Self.text(body, charge, unionPay) == expected, "\(number)")
                }
            }
        }
    }

    private static func text(_ body: [UInt8], _ charge: Charge, _ unionPay: UnionPay) -> String {
        do throws(NotificationError) {
            let notification = try unionPay.notification(UnionPayFixture.request(body), at: UnionPayFixture.now)
            guard notification.reference == charge.reference else { return "another order" }
            let echoed = notification.answer.echoed
            #expect(echoed.reserved == charge.reserved)
            return "\(notification.answer.verdict.text) \(echoed.amount ?? 0) \(echoed.currency ?? "")"
        } catch {
            return error.code.rawValue
        }
    }

    // Failure scenarios 15, 16.
    @Test("Notifications of the sandbox's acquirer, genuine and forged", .timeLimit(.minutes(5)))
    func sandboxNotifications() async throws { try await notifications(.sandbox) }

    // Failure scenarios 15, 16.
    @Test(
        "Notifications of the independent acquirer, genuine and forged",
        .enabled(if: Oracles.arePresent, "\(Oracles.absence)"), .timeLimit(.minutes(5)))
    func pythonNotifications() async throws { try await notifications(.python) }
}
