import OrchardCrypto
import Testing

@testable import Contracts

@Suite("merchants.json")
struct MerchantRegistryTests {
    private static let text = """
        {"merchants": [{
          "id": "0198f3a2b4c57d6e8f901a2b3c4d5e6f", "displayName": "Orchard Tea", "countryCode": "CN",
          "networks": ["chinaUnionPay", "visa"],
          "applePay": {"merchantIdentifier": "merchant.com.example.tea",
                       "keys": [{"key": "apple/key.pem", "certificate": "apple/cert.pem"}, {"key": "apple/next.pem"}]},
          "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110048", "currencies": ["CNY"],
                      "paymentData": ["EMV"], "settings": {"signingKey": "unionpay/merchant.key",
                      "signingCertificate": "unionpay/merchant.pem"}}],
          "apiKeys": [{"id": "shop-1", "sha256": "\(Hex.encode(SHA256.hash(Array("secret".utf8))))"}],
          "origins": ["https://tea.example"], "maximumAmounts": [{"currency": "CNY", "amount": "50000.00"}]}]}
        """

    @Test("describes each merchant")
    func reads() throws {
        let registry = try MerchantRegistry(parsing: Array(Self.text.utf8))
        let merchant = try #require(registry.merchants.first)
        #expect(registry[merchant.id] == merchant)
        #expect(merchant.networks == [.chinaUnionPay, .visa])
        #expect(merchant.applePay.keys.count == 2)
        #expect(merchant.maximumAmount(in: .cny)?.minorUnits == 5_000_000)
    }

    @Test("takes no token without applicationData unless it is told to, and then warns of it")
    func missingApplicationData() throws {
        let safe = try MerchantRegistry(parsing: Array(Self.text.utf8))
        #expect(!safe.merchants.contains(where: \.allowMissingApplicationData) && safe.dangers == [])
        let text = Self.text.replacing(#""displayName""#, with: #""allowMissingApplicationData": true, "displayName""#)
        let open = try MerchantRegistry(parsing: Array(text.utf8))
        #expect(open.dangers.count == open.merchants.count)
        #expect(open.dangers.first?.contains("allowMissingApplicationData") == true)
        let wrong = Self.text.replacing(#""displayName""#, with: #""allowMissingApplicationData": 1, "displayName""#)
        #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array(wrong.utf8)) }
    }

    @Test("finds the merchant of an API key, and no merchant for another")
    func apiKeys() throws {
        let registry = try MerchantRegistry(parsing: Array(Self.text.utf8))
        #expect(registry.merchant(forAPIKey: "secret")?.key.id == "shop-1")
        #expect(registry.merchant(forAPIKey: "Secret") == nil)
        #expect(registry.merchant(forAPIKey: "") == nil)
    }

    @Test("reports all its problems at once")
    func problems() {
        let broken = Self.text
            .replacing("0198f3a2b4c57d6e8f901a2b3c4d5e6f", with: "tea")
            .replacing("\"CNY\"]", with: "\"RMB\"]")
            .replacing("\"countryCode\": \"CN\"", with: "\"countryCode\": \"china\"")
            .replacing("https://tea.example", with: "http://tea.example/shop")
            .replacing("\"displayName\"", with: "\"displayname\"")
            .replacing("\"id\": \"unionpay-1\"", with: "\"id\": \"UnionPay 1\"")
            .replacing("\"environment\": \"test\"", with: "\"environment\": \"production\"")
        let error = #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array(broken.utf8)) }
        for place in [
            "merchants[0].id", "routes[0].currencies[0]", "countryCode", "origins[0]", "merchants[0].displayname",
            "merchants[0].displayName", "routes[0].id", "routes[0].environment",
        ] {
            #expect(error?.description.contains(place) == true, "no word of \(place)")
        }
    }

    @Test(
        "reports the allowed values in place of a wrong one",
        arguments: [
            (
                "\"networks\"", "\"colour\": 1, \"networks\"",
                "colour: no such member; known are allowMissingApplicationData, allowPayeeName, apiKeys"
            ),
            ("\"visa\"", "\"Visa\"", "networks[1]: this is no network; known are amex, chinaUnionPay"),
            ("\"EMV\"", "\"emv\"", "paymentData[0]: this is no kind of card data; known are EMV, 3DSecure"),
            ("\"CNY\"],", "\"RMB\"],", "currencies[0]: this is no currency of ISO 4217, as in CNY"),
            ("\"environment\": \"test\"", "\"environment\": \"prod\"", "environment: test or live is required"),
        ])
    func allowed(_ old: String, _ new: String, _ expected: String) {
        let text = Self.text.replacing(old, with: new)
        let error = #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array(text.utf8)) }
        #expect(error?.problems.count == 1)
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test("that is cut off is reported with line and column")
    func cutOff() {
        let text = "{\"merchants\": [{\n  \"id\": \"0198"
        let error = #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array(text.utf8)) }
        #expect(error?.problems == ["line 2, column 14: the text ends inside a string; this is no valid JSON"])
    }

    @Test("refuses two merchants of one identifier")
    func repeats() {
        let start = Self.text.dropFirst("{\"merchants\": [".count).dropLast(2)
        let twice = "{\"merchants\": [\(start),\(start)]}"
        let error = #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array(twice.utf8)) }
        #expect(error?.problems.count == 3)
    }

    /// What two merchants must not share, and other values.
    private static let otherIdentities = [
        ("0198f3a2b4c57d6e8f901a2b3c4d5e6f", "0198f3a2b4c57d6e8f901a2b3c4d5e70"),
        ("merchant.com.example.tea", "merchant.com.example.coffee"),
        (Hex.encode(SHA256.hash(Array("secret".utf8))), Hex.encode(SHA256.hash(Array("another".utf8)))),
    ]

    @Test("refuses an account that two merchants share: nobody could tell whose its file and its pay-outs are")
    func sharedAccount() throws {
        let first = String(Self.text.dropFirst("{\"merchants\": [".count).dropLast(2))
        func two(_ changes: [(String, String)]) throws -> MerchantRegistry {
            let second = changes.reduce(first) { $0.replacing($1.0, with: $1.1) }
            return try MerchantRegistry(parsing: Array("{\"merchants\": [\(first),\(second)]}".utf8))
        }
        let others = Self.otherIdentities
        let error = #expect(throws: MerchantRegistryError.self) { try two(others) }
        #expect(error?.problems.count == 1)
        #expect(
            error?.problems.first?.contains("have routes to one account, 777290058110048 at unionpay") == true,
            "\(error?.description ?? "")")
        #expect(try two(others + [("777290058110048", "777290058110049")]).merchants.count == 2)
    }

    @Test("that is not JSON is reported with the place")
    func syntax() {
        let error = #expect(throws: MerchantRegistryError.self) { try MerchantRegistry(parsing: Array("{".utf8)) }
        #expect(error?.problems.count == 1)
    }
}
