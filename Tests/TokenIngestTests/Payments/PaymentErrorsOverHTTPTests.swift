import Contracts
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import SandboxWallet
import Testing

@testable import TokenIngest

/// Each error of Apple's that token-ingest answers a payment with, asked for over a socket.
@Suite("Apple's errors of a payment over HTTP")
struct PaymentErrorsOverHTTPTests {
    private static let whole: [String: JSONValue] = [
        "emailAddress": "ada@tea.example", "givenName": "Ada", "phoneticGivenName": "エイダ", "phoneNumber": "13800138000",
        "addressLines": ["1 Nanjing Rd"], "locality": "Shanghai", "countryCode": "CN",
    ]

    /// What a contact lacks, and the error: contactField, and for PassKit the key of the postal address.
    static let missing = [
        ("givenName", "name", nil), ("phoneticGivenName", "phoneticName", nil), ("phoneNumber", "phoneNumber", nil),
        ("emailAddress", "emailAddress", nil), ("countryCode", "countryCode", "ISOCountryCode"),
        ("addressLines", "addressLines", "street"), ("locality", "locality", "city"),
    ]

    @Test("A contact that lacks a part is invalid there, for shipping and for billing", arguments: missing)
    func contact(_ member: String, _ field: String, _ key: String?) async throws {
        let shop = try Shop()
        let lacking = JSONValue.object(
            Self.whole.filter { $0.key != member }.map { JSONMember($0.key, $0.value) })
        let whole = JSONValue.object(Self.whole.map { JSONMember($0.key, $0.value) })
        for (code, number, contacts) in [
            ("shippingContactInvalid", Int64(1), (shipping: lacking, billing: whole)),
            ("billingContactInvalid", 2, (shipping: whole, billing: lacking)),
        ] {
            // Apple gives e-mail and telephone with the shipping contact alone.
            if number == 2, ["phoneNumber", "emailAddress"].contains(member) { continue }
            let ticket = try shop.ticket(
                order: Shop.order(),
                requiredContact: RequiredContact(shipping: ContactField.allCases, billing: ContactField.allCases))
            let answer = try await Self.pay(
                shop, ticket, contacts: ["shippingContact": contacts.shipping, "billingContact": contacts.billing])
            try Self.check(answer, stage: "contact", code: code, number, field: field, key: key)
        }
    }

    @Test(
        "An address outside of the region of the price is invalid there",
        arguments: [
            ("CN", #"{"countryCode":"JP"}"#, "countryCode", "ISOCountryCode"),
            ("CN/上海市", #"{"countryCode":"CN","administrativeArea":"四川省"}"#, "administrativeArea", "state"),
            ("CN//100", #"{"countryCode":"CN","postalCode":"200000"}"#, "postalCode", "postalCode"),
        ])
    func region(_ region: String, _ contact: String, _ field: String, _ key: String) async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), region: region)
        let answer = try await Self.pay(
            shop, ticket, contacts: ["shippingContact": try JSONValue(parsing: Array(contact.utf8))])
        try Self.check(answer, stage: "region", code: "shippingContactInvalid", 1, field: field, key: key)
    }

    @Test("A card of another type than the price holds for is an unknown error")
    func cardType() async throws {
        let shop = try Shop()
        let ticket = try shop.ticket(order: Shop.order(), cardTypes: [.debit])
        let answer = try await Self.pay(shop, ticket, accountNumber: "6225880000000007")
        try Self.check(answer, stage: "cardType", code: "unknown", -1, field: nil, key: nil)
    }

    @Test(
        "A contact that is too large is refused with the field named",
        arguments: [(600, 400, "shippingContact.locality"), (1_000_000, 413, "")])
    func largeContact(_ size: Int, _ status: Int, _ field: String) async throws {
        let shop = try Shop()
        let contact: JSONValue = ["locality": .string(String(repeating: "x", count: size))]
        let answer = try await Self.pay(
            shop, try shop.ticket(order: Shop.order()), contacts: ["shippingContact": contact])
        #expect(answer.status.code == status)
        #expect(try JSONValue(parsing: answer.body)["field"]?.string == field)
        #expect(shop.sink.messages.isEmpty)
    }

    @Test("Every field of ApplePayErrorContactField that says more than another one is in a case here")
    func complete() {
        // A whole address, and the parts that no country's address needs, are never the reason.
        let never: Set = ["postalAddress", "subLocality", "subAdministrativeArea", "country"]
        let fields = Set(Self.missing.map(\.1)).union(["administrativeArea", "postalCode"])
        #expect(fields == Set(PaymentContact.Field.allCases.map(\.rawValue)).subtracting(never))
    }

    private static func check(
        _ answer: HTTPResponse, stage: String, code: String, _ number: Int64, field: String?, key: String?
    ) throws {
        let json = try JSONValue(parsing: answer.body)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == .unprocessableContent && json["stage"]?.string == stage, "\(text)")
        let applePay = json["applePay"]
        #expect(applePay?["status"]?.string == "STATUS_FAILURE")
        let (web, passKit) = (applePay?["errors"]?.array ?? [], applePay?["passKit"]?["errors"]?.array ?? [])
        #expect(web.map { [$0["code"]?.string, $0["contactField"]?.string] } == [[code, field]], "\(text)")
        #expect(web.first?["message"]?.string?.isEmpty == false)
        #expect(passKit.map { $0["code"]?.integer } == [number])
        #expect(passKit.first?["contactField"]?.string == (key == nil ? field : "postalAddress"))
        #expect(passKit.first?["postalAddressKey"]?.string == key)
    }

    /// Sends a payment to the endpoint behind a server.
    private static func pay(
        _ shop: Shop, _ ticket: String, contacts: [String: JSONValue] = [:], accountNumber: String? = nil
    ) async throws -> HTTPResponse {
        let token = try shop.mint(order: Shop.order()) { $0.accountNumber = accountNumber ?? $0.accountNumber }
        let parsed = try JSONValue(parsing: token.json)
        let body = JSONWriter.object { object in
            for (name, contact) in contacts.sorted(by: { $0.key < $1.key }) { object.member(name, contact) }
            object.member("token", parsed)
        }
        let router = shop.api.router
        let server = HTTPServer(configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), router: router)
        let client = HTTPClient()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            group.addTask { try await client.run() }
            defer { group.cancelAll() }
            let outcome = await client.send(
                HTTPClientRequest(
                    method: .post, url: "http://127.0.0.1:\(try await server.boundPort)/v1/payments",
                    fields: ["Authorization": "Bearer \(ticket)", "Content-Type": "application/json"],
                    body: body))
            guard case .answered(let answer) = outcome else {
                throw AnswerMissing()
            }
            return answer.response
        }
    }

    private struct AnswerMissing: Error {}
}
