import OrchardCrypto
import Testing

@testable import Contracts

@Suite("The webhooks of a merchant")
struct MerchantWebhookTests {
    private static func read(_ webhooks: String) throws(MerchantRegistryError) -> [WebhookEndpoint] {
        try MerchantRegistry(
            parsing: Array(
                """
                {"merchants": [{
                  "id": "0198f3a2b4c57d6e8f901a2b3c4d5e6f", "displayName": "Orchard Tea", "countryCode": "CN",
                  "networks": ["chinaUnionPay"],
                  "applePay": {"merchantIdentifier": "merchant.com.example.tea", "keys": [{"key": "apple/key.pem"}]},
                  "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "1",
                              "currencies": ["CNY"], "paymentData": ["EMV"]}],
                  "apiKeys": [{"id": "shop-1", "sha256": "\(Hex.encode(SHA256.hash("secret")))"}],
                  "webhooks": \(webhooks)}]}
                """.utf8)
        ).merchants.flatMap(\.webhooks)
    }

    @Test("have an address, secrets and the events that they are told: all, if they do not say")
    func reads() throws {
        let endpoints = try Self.read(
            """
            [{"id": "erp", "url": "https://tea.example/orchard", "secrets": ["new.secret", "old.secret"]},
             {"id": "till", "url": "http://127.0.0.1:8080/", "secrets": ["till.secret"], "events": ["order.paid"],
              "allowPrivateAddress": true}]
            """)
        #expect(endpoints.map(\.id) == ["erp", "till"])
        #expect(endpoints[0].secrets == ["new.secret", "old.secret"])
        #expect(endpoints[0].events == Set(WebhookEvent.allCases) && !endpoints[0].allowPrivateAddress)
        #expect(endpoints[1].events == [.orderPaid] && endpoints[1].allowPrivateAddress)
        #expect(try Self.read("[]") == [])
    }

    private static let good = #""id": "a", "url": "https://a.example/", "secrets": ["s"]"#

    @Test(
        "that are wrong are refused, with the member named",
        arguments: [
            (#"{"id": "A", "url": "https://a.example/", "secrets": ["s"]}"#, "webhooks[0].id"),
            (#"{"url": "https://a.example/", "secrets": ["s"]}"#, "webhooks[0].id"),
            (#"{"id": "a", "url": "http://a.example/", "secrets": ["s"]}"#, "webhooks[0].url"),
            (#"{"id": "a", "url": "ftp://a/", "secrets": ["s"], "allowPrivateAddress": true}"#, "webhooks[0].url"),
            (#"{"id": "a", "secrets": ["s"]}"#, "webhooks[0].url"),
            (#"{"id": "a", "url": "https://a.example/"}"#, "webhooks[0].secrets"),
            (#"{"id": "a", "url": "https://a.example/", "secrets": []}"#, "webhooks[0].secrets"),
            (#"{"id": "a", "url": "https://a.example/", "secrets": [""]}"#, "webhooks[0].secrets[0]"),
            (#"{"id": "a", "url": "https://a.example/", "secrets": ["1", "2", "3", "4", "5"]}"#, "webhooks[0].secrets"),
            ("{\(good), \"events\": [\"order.eaten\"]}", "webhooks[0].events[0]"),
            ("{\(good), \"allowPrivateAddress\": 1}", "webhooks[0].allowPrivateAddress"),
            ("{\(good), \"secret\": \"whsec_\"}", "webhooks[0].secret"),
            ("{\(good)}, {\(good)}", "webhooks[1].id"),
            (
                (0...8).map { #"{"id": "a\#($0)", "url": "https://a.example/", "secrets": ["s"]}"# }
                    .joined(separator: ","), "merchants[0].webhooks"
            ),
        ])
    func refused(_ webhooks: String, _ place: String) {
        #expect { try Self.read("[\(webhooks)]") } throws: { error in
            let problems = (error as? MerchantRegistryError)?.problems ?? []
            return problems.count == 1 && problems[0].contains("\(place): ")
        }
    }
}
