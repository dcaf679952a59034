import Contracts
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit
import SandboxWallet
import Testing

@testable import TokenIngest

@Suite("POST /v1/payments")
struct PaymentRequestTests {
    @Test(
        "a wrong body is answered 400 with the field's name",
        arguments: [
            ("", "", "syntax"), ("{", "", "syntax"), ("[]", "", "type"), ("{}", "token", "missing"),
            (#"{"token":"x"}"#, "token", "type"), (#"{"token":null}"#, "token", "type"),
            (#"{"token":{},"token":{}}"#, "token", "duplicate"),
            (#"{"token":{"paymentData":{"version":1,"version":2}}}"#, "token.paymentData.version", "duplicate"),
            (#"{"token":{},"amount":1}"#, "amount", "unknown"), (#"{"token":{}} x"#, "", "syntax"),
            (#"{"token":{},"shippingContact":"CN"}"#, "shippingContact", "type"),
            (#"{"token":{},"shippingContact":{"countryCode":5}}"#, "shippingContact.countryCode", "type"),
            ("{\"token\":{\"a\":\"\u{1}\"}}", "token.a", "syntax"),
        ])
    func malformed(_ body: String, _ field: String, _ reason: String) async throws {
        let shop = try Shop()
        let answer = try await shop.send(Array(body.utf8), ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 400, "\(answer)")
        #expect(answer["field"] == field, "\(answer)")
        #expect(answer["reason"] == reason, "\(answer)")
        #expect(shop.sink.messages.isEmpty)
    }

    @Test("text that is not UTF-8 is 400")
    func encoding() async throws {
        let shop = try Shop()
        let body = Array(#"{"token":{"a":""#.utf8) + [0xff] + Array(#""}}"#.utf8)
        let answer = try await shop.send(body, ticket: try shop.ticket(order: Shop.order()))
        #expect(answer.status == 400)
        #expect(answer["field"] == "token.a")
        #expect(answer["reason"] == "encoding")
    }

    @Test("another content type is 415")
    func contentType() async throws {
        let shop = try Shop()
        let answer = try await shop.send(
            Array("{}".utf8), ticket: try shop.ticket(order: Shop.order()), contentType: "text/plain")
        #expect(answer.status == 415)
    }

    @Test("without a valid ticket nothing is read or published")
    func tickets() async throws {
        let shop = try Shop()
        let token = try shop.mint(order: Shop.order()).json
        let stranger = TicketSigner(keyID: "t1", key: try P256PrivateKey.generate())
        let ticket = try shop.ticket(order: Shop.order())
        let old = try shop.ticket(order: Shop.order())
        let forged = try stranger.sign(try shop.endpoint.verified(ticket))
        for wrong in [nil, "", "x.y.z", String(ticket.dropLast()), forged] {
            let answer = try await shop.pay(token, ticket: wrong)
            #expect(answer.status == 401, "\(answer)")
        }
        shop.wait(.seconds(600 + 24 * 3_600))
        let answer = try await shop.pay(token, ticket: old)
        #expect(answer.status == 401)
        #expect(answer["code"] == "ticket-expired")
        #expect(shop.sink.messages.isEmpty)
        #expect(shop.metrics.expose().contains("token_ingest_payments_total{outcome=\"unauthorised\"} 6"))
    }

    @Test("has its route, and allows no other method")
    func route() async throws {
        let shop = try Shop()
        let router = shop.api.router
        await #expect(throws: Problem.self) {
            try await router.respond(to: HTTPRequest(method: .post, target: "/v1/payments"))
        }
        #expect(try await router.respond(to: HTTPRequest(method: .get, target: "/v1/payments")).status.code == 405)
    }
}

extension PaymentEndpoint {
    fileprivate func verified(_ ticket: String) throws -> OrderTicket {
        try TicketVerifier(keys: tickets.keys.keys.publicKeys(at: clock().seconds)).verify(ticket, at: clock())
    }
}
