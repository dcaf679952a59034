import Contracts
import Foundation
import KeyFiles
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit
import SandboxPKI
import SandboxSessions
import SandboxWallet
import TestSupport
import Testing

@testable import TokenIngest

@Suite("A merchant session for a page", .timeLimit(.minutes(4)))
struct SessionTests {
    @Test("is Apple's answer, byte for byte, for the merchant of the ticket and the host of the page")
    func given() async throws {
        try await SessionPage.run { page in
            let exact = #"{ "nonce" : "a1",  "signature":"\u00e9", "retries":0.5 }"#
            let first = try await page.ask()
            #expect(first.status == .ok)
            #expect(first.json?["domainName"]?.string == "tea.example")
            page.apple.fail(with: .status(200, exact))
            let second = try await page.ask(origin: "https://tea.example:8443")
            #expect(String(decoding: second.body, as: UTF8.self) == exact)
            #expect(second.fields["Content-Type"] == "application/json")
            #expect(second.fields["Cache-Control"] == "no-store")
            #expect(second.fields["Access-Control-Allow-Origin"] == "https://tea.example:8443")

            let asked = try #require(page.apple.requests.last)
            #expect(asked.target == "POST /paymentservices/paymentSession")
            #expect(asked.client == Shop.identifiers[0])
            #expect(
                asked.body
                    == .object([
                        "displayName": .string(Shop.identifiers[0]), "initiative": "web",
                        "initiativeContext": "tea.example", "merchantIdentifier": .string(Shop.identifiers[0]),
                    ]))
            let secret = try #require(first.json?["merchantSessionIdentifier"]?.string)
            #expect(!page.shop.log.text.contains(secret))
            #expect(page.shop.metrics.expose().contains("token_ingest_sessions_total{outcome=\"given\"} 2"))
        }
    }

    @Test("shows each merchant's own certificate, though one client asks for all")
    func identities() async throws {
        try await SessionPage.run { page in
            for _ in 1...2 {
                #expect(try await page.ask().status == .ok)
                let silk = try page.shop.ticket(order: Shop.order(2), merchant: 1)
                #expect(try await page.ask(origin: "https://silk.example", ticket: silk).status == .ok)
            }
            #expect(page.apple.requests.map(\.client) == (Shop.identifiers + Shop.identifiers))
            #expect(page.apple.requests.map(\.connection) == [1, 2, 1, 2])
        }
    }

    @Test(
        "is not for a page of another origin, or for no page",
        arguments: [
            (nil, "originMissing"), ("https://evil.example", "originForeign"),
            ("https://silk.example", "originForeign"),
            ("http://tea.example", "originForeign"), ("https://tea.example/", "originForeign"),
            ("https://tea.example.evil.example", "originForeign"), ("null", "originForeign"),
        ] as [(String?, String)])
    func foreignOrigin(_ origin: String?, _ reason: String) async throws {
        try await SessionPage.run { page in
            let answer = try await page.ask(origin: origin)
            #expect(answer.problem == ["403", "origin-refused", reason])
            #expect(answer.json?["stage"]?.string == "origin")
            #expect(page.apple.requests.isEmpty)
        }
    }

    @Test("is not for a ticket that cannot pay any more, another merchant's, a forged one, or none")
    func tickets() async throws {
        try await SessionPage.run { page in
            let shop = page.shop
            let silk = try shop.ticket(order: Shop.order(2), merchant: 1)
            #expect(try await page.ask(ticket: silk).problem == ["403", "origin-refused", "originForeign"])
            let forged = try shop.ticket(order: Shop.order(), keyID: "t1")
            #expect(try await page.ask(ticket: forged).problem == ["401", "ticket-invalid", nil])
            let ticket = try shop.ticket(order: Shop.order())
            shop.wait(.seconds(601))
            // It still reads the status of its order.
            #expect(try await page.ask(ticket: ticket).problem == ["401", "ticket-expired", nil])
            let none = try await shop.answer(
                to: HTTPRequest(
                    method: .post, target: "/v1/apple-pay/session", fields: ["Origin": SessionPage.origin], body: []))
            #expect(none.problem == ["401", "ticket-missing", nil])
            #expect(page.apple.requests.isEmpty)
        }
    }

    @Test("is limited by the order of the ticket, together with its payments")
    func limited() async throws {
        try await SessionPage.run(ticketLimit: 1) { page in
            var statuses: [Int] = []
            for _ in 1...21 { statuses.append(try await page.ask("https://evil.example/").status.code) }
            #expect(statuses == Array(repeating: 422, count: 20) + [429])
            let other = try page.shop.ticket(order: Shop.order(2))
            #expect(try await page.ask(ticket: other).status == .ok)
        }
    }

    @Test("is asked for in JSON, after a question of the browser")
    func preflight() async throws {
        try await SessionPage.run { page in
            let asked = try await page.shop.answer(
                to: HTTPRequest(
                    method: .options, target: "/v1/apple-pay/session", fields: ["Origin": SessionPage.origin]))
            #expect(asked.status == .noContent)
            #expect(asked.fields["Access-Control-Allow-Origin"] == SessionPage.origin)
            let text = try await page.shop.answer(
                to: HTTPRequest(
                    method: .post, target: "/v1/apple-pay/session",
                    fields: [
                        "Authorization": "Bearer \(try page.shop.ticket(order: Shop.order()))",
                        "Content-Type": "text/plain", "Origin": SessionPage.origin,
                    ], body: Array("{}".utf8)))
            #expect(text.status.code == 415)
            #expect(text.fields["Access-Control-Allow-Origin"] == SessionPage.origin)
        }
    }

    @Test(
        "needs a body that says where to ask, and nothing else",
        arguments: [
            ("", 400), ("[]", 400), ("{}", 400), (#"{"validationURL": 7}"#, 400),
            (#"{"validationURL": ""}"#, 400),
            (#"{"validationURL": "https://localhost", "domainName": "evil.example"}"#, 400),
        ])
    func malformed(_ body: String, _ status: Int) async throws {
        try await SessionPage.run { page in
            let answer = try await page.ask(body: Array(body.utf8))
            #expect(answer.status.code == status)
            #expect(answer.json?["code"]?.string == "invalid-body")
        }
    }

    @Test(
        "is asked for nowhere but at Apple's servers",
        arguments: [
            ("https://evil.example/paymentservices/paymentSession", "hostUnknown"),
            ("https://localhost.evil.example/", "hostUnknown"), ("https://127.0.0.1:PORT/", "hostUnknown"),
            ("https://localhost.:PORT/", "hostUnknown"), ("http://localhost:PORT/", "notHTTPS"),
            ("https://localhost/paymentservices/paymentSession", "portUnknown"),
            ("https://localhost:1/", "portUnknown"), ("https://localhost:PORT/other", "pathUnknown"),
            ("https://localhost:PORT/paymentservices/paymentSession?a=b", "pathUnknown"),
            ("https://localhost:PORT?paymentservices", "pathUnknown"),
            ("https://localhost:PORT//evil.example/", "pathUnknown"),
            ("https://localhost:PORT/paymentservices/../other", "pathUnknown"),
            ("https://localhost:PORT@evil.example/", "urlMalformed"),
            ("https://me:secret@localhost:PORT/", "urlMalformed"), ("https://localhost:PORT/#a", "urlMalformed"),
            ("https://evil.example\\@localhost:PORT/", "urlMalformed"), ("file:///etc/passwd", "urlMalformed"),
            ("https://localhost:PORT /", "urlMalformed"), ("https://loc\u{430}lhost:PORT/", "urlMalformed"),
            ("localhost:PORT", "urlMalformed"),
        ])
    func otherServers(_ url: String, _ reason: String) async throws {
        try await SessionPage.run { page in
            let answer = try await page.ask(url.replacing("PORT", with: "\(page.apple.port)"))
            #expect(answer.problem == ["422", "session-rejected", reason])
            #expect(answer.json?["stage"]?.string == "validationURL")
            #expect(page.apple.requests.isEmpty)
        }
    }
}
