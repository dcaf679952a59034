import Contracts
import Foundation
import KeyFiles
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxPKI
import SandboxSessions
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("No merchant session", .timeLimit(.minutes(4)))
struct AppleFaultTests {
    private static let secret = "a-secret-of-Apple"

    @Test(
        "comes of a server that redirects, answers hugely, no JSON, half of it, or a refusal; its content goes nowhere",
        arguments: [
            (.redirect(to: "https://localhost/\(secret)"), "redirected", 302), (.huge(65_536), "answerTooLarge", nil),
            (.page, "answerMalformed", nil), (.cut, "answerMalformed", nil),
            (.status(200, "[\"\(secret)\"]"), "answerMalformed", nil), (.status(417, secret), "refused", 417),
            (.status(500, secret), "refused", 500), (.status(204, ""), "refused", 204),
        ] as [(SessionFault, String, Int64?)])
    func faults(_ fault: SessionFault, _ reason: String, _ status: Int64?) async throws {
        try await SessionPage.run { page in
            page.apple.fail(with: fault)
            let answer = try await page.ask()
            #expect(answer.problem == ["502", "session-failed", reason])
            #expect(answer.json?["stage"]?.string == "apple")
            #expect(answer.json?["appleStatus"]?.integer == status)
            #expect(page.apple.requests.count == 1)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(Self.secret))
            #expect(!page.shop.log.text.contains(Self.secret))
            #expect(page.shop.log.text.contains(reason))
        }
    }

    @Test("comes of a server that says nothing, after the time; others are asked to come again meanwhile")
    func silence() async throws {
        try await SessionPage.run(maximumSessions: 1) { page in
            page.apple.fail(with: .silence)
            async let slow = page.ask()
            while page.apple.requests.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            let busy = try await page.ask()
            #expect(busy.problem == ["503", "busy", nil])
            #expect(busy.fields["Retry-After"] == "2")
            #expect(try await slow.problem == ["504", "session-failed", "timedOut"])
        }
    }

    @Test("comes of a name that leads to a private address")
    func privateAddress() async throws {
        let apple = try SessionServer(wallet: Shop.sharedWallet())
        let shop = try Shop(sessions: apple)
        // As the service has it for Apple's servers.
        let client = IngestService.client(nil, logger: Logger(label: "test"), metrics: MetricsRegistry())
        let ours = shop.sessions
        let sessions = SessionEndpoint(
            merchants: ours.merchants, missingMerchants: ours.missingMerchants, tickets: ours.tickets,
            servers: ours.servers, client: client, admission: ours.admission, ticketLimit: ours.ticketLimit,
            metrics: ours.metrics, logger: ours.logger, clock: ours.clock)
        let request = HTTPRequest(
            method: .post, target: "/v1/apple-pay/session",
            fields: [
                "Content-Type": "application/json", "Origin": SessionPage.origin,
                "Authorization": "Bearer \(try shop.ticket(order: Shop.order()))",
            ], body: Array(#"{"validationURL":"https://localhost:\#(apple.port)/"}"#.utf8))
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await apple.run() }
            group.addTask { try await client.run() }
            let problem = await #expect(throws: Problem.self) { try await sessions.respond(to: request) }
            #expect(problem?.members["reason"] == "unreachable")
            #expect(apple.connections == 0)
            group.cancelAll()
        }
    }

    @Test("comes without a certificate of the merchant, and with one that has ended")
    func identity() async throws {
        try await SessionPage.run { page in
            let (shop, file) = (page.shop, page.shop.folder.appending(path: "merchants.json"))
            let name = "\(Shop.identifiers[0])/identity"
            let old = try shop.wallet.identity(of: Shop.identifiers[0], at: shop.now.seconds, from: 400, to: -1)
            let files = ["cert", "key"].map { shop.folder.appending(path: "\(Shop.identifiers[0])/old.\($0).pem") }
            try old.save(certificate: files[0], key: files[1])
            let text = String(decoding: try Shop.read(file), as: UTF8.self)
            try Shop.write(Array(text.replacing(name, with: "\(Shop.identifiers[0])/old").utf8), to: file)
            #expect(await shop.endpoint.merchants.reload() == nil)
            #expect(try await page.ask().problem == ["503", "session-unavailable", "identityExpired"])

            let none = #""identities": [{"key": "\#(name).key.pem", "certificate": "\#(name).cert.pem"}]"#
            try Shop.write(Array(text.replacing(none, with: #""identities": []"#).utf8), to: file)
            #expect(await shop.endpoint.merchants.reload() == nil)
            let answer = try await page.ask()
            #expect(answer.problem == ["503", "session-unavailable", "identityMissing"])
            #expect(answer.json?["stage"]?.string == "identity")
            #expect(page.apple.requests.isEmpty)
        }
    }
}
