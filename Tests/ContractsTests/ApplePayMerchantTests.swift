import OrchardCrypto
import Testing

@testable import Contracts

@Suite("A merchant as Apple knows it, in merchants.json")
struct ApplePayMerchantTests {
    private static func parse(_ applePay: String, origins: String = "[]") throws -> Merchant {
        let text = """
            {"merchants": [{
              "id": "0198f3a2b4c57d6e8f901a2b3c4d5e6f", "displayName": "Orchard Tea", "countryCode": "CN",
              "networks": ["visa"], "applePay": {"merchantIdentifier": "m", "keys": [{"key": "a"}]\(applePay)},
              "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "1",
                          "currencies": ["CNY"], "paymentData": ["EMV"], "settings": {}}],
              "apiKeys": [{"id": "s", "sha256": "\(Hex.encode(SHA256.hash(Array("secret".utf8))))"}],
              "origins": \(origins)}]}
            """
        return try #require(MerchantRegistry(parsing: Array(text.utf8)).merchants.first)
    }

    @Test("has identities and domains, or none")
    func reads() throws {
        let none = try Self.parse("").applePay
        #expect(none.identities == [] && none.domains == [])
        let some = try Self.parse(
            #", "identities": [{"key": "i.p12", "passwordFile": "p"}], "domains": [{"domain": "Tea.Example", "associationFile": "f"}]"#
        ).applePay
        #expect(some.identities.map(\.files) == [["i.p12", "p"]])
        #expect(some.domains.map(\.name) == ["tea.example"])
    }

    @Test(
        "names what is wrong",
        arguments: [
            (#", "identities": [{}]"#, "applePay.identities[0].key"),
            (#", "identities": [{"key": "a", "secret": "b"}]"#, "applePay.identities[0].secret"),
            (
                #", "identities": [\#(Array(repeating: #"{"key": "a"}"#, count: 5).joined(separator: ","))]"#,
                "at most 4"
            ),
            (#", "domains": [{"domain": "tea.example"}]"#, "applePay.domains[0].associationFile"),
            (
                #", "domains": [{"domain": "https://tea.example", "associationFile": "f"}]"#,
                "applePay.domains[0].domain"
            ),
            (#", "domains": [{"domain": "tea..example", "associationFile": "f"}]"#, "applePay.domains[0].domain"),
            (#", "domains": [{"domain": "-tea.example", "associationFile": "f"}]"#, "applePay.domains[0].domain"),
            (#", "domain": "tea.example""#, "applePay.domain: no such member"),
        ])
    func problems(_ members: String, _ problem: String) {
        let error = #expect(throws: MerchantRegistryError.self) { try Self.parse(members) }
        #expect(error?.problems.contains { $0.contains(problem) } == true, "\(error?.problems ?? [])")
    }

    @Test(
        "has pages of https origins, and of http ones on this machine",
        arguments: [
            ("https://tea.example", true), ("https://tea.example:8443", true), ("http://localhost:8080", true),
            ("http://tea.localhost", true), ("http://127.0.0.1:80", true), ("http://tea.example", false),
            ("http://localhost.tea.example", false), ("https://", false), ("https://tea.example/", false),
            ("localhost", false), ("ftp://localhost", false),
        ])
    func origins(_ origin: String, _ isOne: Bool) {
        #expect(((try? Self.parse("", origins: "[\"\(origin)\"]")) != nil) == isOne)
    }
}
