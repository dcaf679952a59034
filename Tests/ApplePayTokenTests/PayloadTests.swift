import ApplePayToken
import SandboxWallet
import Testing

@Suite("Decrypted content")
struct PayloadTests {
    struct Change: CustomTestStringConvertible, Sendable {
        let old: String
        let new: String
        let reason: String
        var content = Wallet.Content.threeDSecure
        var testDescription: String { "\(old) → \(new)" }

        init(_ old: String, _ new: String, _ reason: String, _ content: Wallet.Content = .threeDSecure) {
            self.old = old
            self.new = new
            self.reason = reason
            self.content = content
        }
    }

    private func refusal(_ change: Change, _ scheme: Wallet.Scheme = .ec) async throws -> TokenError? {
        let bench = try TestWallet()
        var request = bench.request(scheme, change.content)
        request.accountNumber = "6212345678900000003"
        request.cardholderName = "LI/LEI"
        var tampering = Tampering()
        tampering.payload = {
            $0 = Array(String(decoding: $0, as: UTF8.self).replacing(change.old, with: change.new).utf8)
        }
        return try await bench.refusal(bench.wallet.mint(request, tampering: tampering).json)
    }

    private static let long = String(repeating: "x", count: 513)

    private static func share(_ amount: String, merchant: String = "m", data: String = "AAA=") -> String {
        #"{"authenticationData":"\#(data)","merchantIdentifier":"\#(merchant)","transactionAmount":"\#(amount)"}"#
    }

    private static func shares(_ shares: String...) -> String {
        #"{"authenticationResponses":[\#(shares.joined(separator: ","))],"a"#
    }

    @Test(
        "every member has the form that Apple documents",
        arguments: [
            Change("6212345678900000003", "62123456789000000O3", "applicationPrimaryAccountNumber"),
            Change("6212345678900000003", "6212345", "8 to 19 digits"),
            Change("6212345678900000003", "", "8 to 19 digits"),
            Change("applicationPrimaryAccountNumber", "number", "required"),
            Change(#""6212345678900000003""#, "62", "a string"),
            Change("311231", "311331", "YYMMDD"), Change("311231", "310031", "YYMMDD"),
            Change("311231", "311232", "YYMMDD"),
            Change("311231", "20311231", "YYMMDD"), Change("applicationExpirationDate", "expiry", "required"),
            Change(#""156""#, #""CNY""#, "ISO 4217"), Change(#""156""#, "156", "a string"),
            Change("currencyCode", "c", "required"),
            Change(":1234", ":-1", "not one of a card payment"), Change(":1234", ":12.34", "integer"),
            Change(":1234", #":"1234""#, "integer"), Change(":1234", ":1000000000000000", "not one of a card payment"),
            Change("transactionAmount", "amount", "required"),
            Change(#""LI/LEI""#, "{}", "a string"),
            Change("040010030273", "xyz0", "hexadecimal"), Change("deviceManufacturerIdentifier", "d", "required"),
            Change(#""3DSecure""#, #""Magstripe""#, "3DSecure or EMV"),
            Change(#""3DSecure""#, #""EMV""#, "emvData is required"),
            Change(#""EMV""#, #""3DSecure""#, "onlinePaymentCryptogram is required", .emv),
            Change("paymentDataType", "t", "required"),
            Change(#""paymentData":"#, #""data":"#, "paymentData is required"),
            Change(#""onlinePaymentCryptogram":""#, #""onlinePaymentCryptogram":"*"#, "base64"),
            Change("{", #"{"merchantTokenIdentifier":"","#, "1 to 64"),
            Change(#"{"a"#, #"{"merchantTokenMetadata":"x","a"#, "an object"),
            Change(#"{"a"#, #"{"authenticationResponses":{},"a"#, "an array"),
            Change(#"{"a"#, #"{"authenticationResponses":[{}],"a"#, "authenticationData is required"),
            Change(#"{"a"#, shares(#"{"authenticationData":"AAA=","merchantIdentifier":"m"}"#), "transactionAmount"),
            Change(#"{"a"#, shares(#"{"authenticationData":"AAA=","transactionAmount":"1"}"#), "merchantIdentifier"),
            Change(#"{"a"#, shares(share("2.50")), "text of digits"), Change(#"{"a"#, shares(share("")), "digits"),
            Change(#"{"a"#, shares(share("-1")), "digits"),
            Change(#"{"a"#, shares(share("1", data: "*")), "base64"),
            Change(#"{"a"#, shares(share("1", data: String(repeating: "A", count: 516))), "512 bytes"),
            Change(#"{"a"#, shares(share("1", merchant: String(repeating: "m", count: 129))), "128 bytes"),
            Change(#"{"a"#, shares(share("1000"), share("235")), "more than the amount"),
            Change(#"{"a"#, shares(String(repeating: share("0") + ",", count: 10) + share("0")), "at most 10"),
            Change(#"{"a"#, #"{"merchantTokenMetadata":{"cardArt":{}},"a"#, "an array"),
            Change(#"{"a"#, #"{"merchantTokenMetadata":{"cardMetadata":{"fpanSuffix":1}},"a"#, "a string"),
            Change(#"{"a"#, #"{"merchantTokenMetadata":{"cardArt":[{},{},{},{},{}]},"a"#, "at most 4"),
            Change(
                #"{"a"#, #"{"merchantTokenMetadata":{"cardMetadata":{"shortDescription":"\#(long)"}},"a"#, "512 bytes"),
            Change(#""156""#, "null", "a string"),
            Change(#""3DSecure""#, "null", "a string"),
            Change(#""onlinePaymentCryptogram":""#, #""onlinePaymentCryptogram":null,"x":""#, "is required"),
            Change(#"{"a"#, #"{"currencyCode":"156","a"#, "twice"), Change(":1234}", ":1234}}", "more text"),
        ])
    func members(_ change: Change) async throws {
        let error = try #require(try await refusal(change))
        #expect(error.stage == .payload)
        #expect(error.reason.contains(change.reason), "\(error.reason)")
        #expect(!error.reason.contains("62123"))
    }

    @Test("PIN data is hexadecimal, and of RSA_v1 tokens only")
    func pin() async throws {
        #expect(try await refusal(Change("\u{0}", "", "", .emvWithPIN), .rsa) == nil)
        let broken = Change(#""encryptedPINData":""#, #""encryptedPINData":"x"#, "", .emvWithPIN)
        #expect(try await refusal(broken, .rsa)?.stage == .payload)
        #expect(try await refusal(Change("\u{0}", "", "", .emvWithPIN), .ec)?.stage == .payload)
    }

    @Test(
        "unknown members are ignored, and known ones may come in any order",
        arguments: [
            Change(#"{"a"#, #"{"new":{"x":[1]},"a"#, ""), Change(#""EMV""#, #""EMV","new":1"#, "", .emv),
        ])
    func unknown(_ change: Change) async throws {
        #expect(try await refusal(change) == nil)
    }

    @Test(
        "null in an optional member counts as missing",
        arguments: [
            Change(#""LI/LEI""#, "null", ""), Change(#"{"a"#, #"{"authenticationResponses":null,"a"#, ""),
            Change(#"{"a"#, #"{"authenticationResponses":[],"a"#, ""),
            Change(#"{"a"#, #"{"merchantTokenIdentifier":null,"merchantTokenMetadata":null,"a"#, ""),
            Change(#""paymentData":{"#, #""paymentData":{"emvData":null,"encryptedPINData":null,"#, ""),
            Change(#""emvData""#, #""eciIndicator":null,"onlinePaymentCryptogram":null,"emvData""#, "", .emv),
        ])
    func null(_ change: Change) async throws {
        #expect(try await refusal(change) == nil)
    }
}
