import ApplePayToken
import OrchardCrypto
import OrchardJSON
import SandboxPKI
import SandboxWallet
import Testing

@Suite("Token verifier")
struct TokenVerifierTests {
    let bench: TestWallet

    init() throws {
        bench = try TestWallet()
    }

    @Test("A token with a signed attribute that is there twice is refused, although its signature is right")
    func attributeTwice() throws {
        var tampering = Tampering()
        tampering.signature = { $0.signers[0].secondSigningTime = TestWallet.now + 1 }
        let token = try bench.wallet.mint(bench.request(), tampering: tampering).json
        let error = #expect(throws: TokenError.self) { try bench.verifier.verify(token, at: TestWallet.now) }
        #expect(error?.stage == .signature && error?.reason.contains("twice") == true)
    }

    @Test(
        "accepts a valid token of each scheme and content, as Apple has signed them over the years",
        arguments: [
            (.ec, .threeDSecure, false, true), (.ec, .threeDSecure, true, false), (.ec, .emv, false, true),
            (.rsa, .threeDSecure, true, true), (.rsa, .emv, false, false), (.rsa, .emvWithPIN, false, true),
        ] as [(Wallet.Scheme, Wallet.Content, Bool, Bool)])
    func accepted(
        _ scheme: Wallet.Scheme, _ content: Wallet.Content, _ hasNullParameters: Bool, _ hasProtection: Bool
    ) async throws {
        var request = bench.request(scheme, content)
        request.hasNullParameters = hasNullParameters
        request.hasAlgorithmProtection = hasProtection
        request.cardholderName = "李雷 LI/LEI"
        request.applicationData = Array("order 1".utf8)
        let minted = try bench.wallet.mint(request)
        let verified = try bench.verifier.verify(minted.json, at: TestWallet.now)
        #expect(verified.scheme.rawValue == scheme.rawValue)
        #expect(verified.signedAt == TestWallet.now - 2)
        #expect(verified.transactionID == minted.transactionID)
        #expect(verified.applicationData == OrchardCrypto.SHA256.hash("order 1"))
        #expect(verified.paymentMethod?.network == "ChinaUnionPay")
        #expect(verified.facts.version == scheme.rawValue)
        #expect(verified.facts.leaf?.hasSuffix("smp-broker-sign_UC4-SANDBOX") == true)

        let card = try await verified.decrypt(with: bench.keys())
        #expect(sorted(card.json(revealing: true)) == sorted(try JSONValue(parsing: minted.payload)))
        #expect(card.transactionAmount == 1234)
        #expect(card.currencyCode == "156")
        #expect(card.lastFour == String(minted.accountNumber.suffix(4)))
    }

    @Test(
        "refuses a token with one fault, at the step that names it", arguments: MintingFault.allCases,
        [
            Wallet.Scheme.ec, .rsa,
        ])
    func faults(_ fault: MintingFault, _ scheme: Wallet.Scheme) async throws {
        let minted = try bench.wallet.mint(bench.request(scheme), fault: fault)
        let error = try #require(try await bench.refusal(minted.json, at: TestWallet.now - 2))
        #expect(error.stage.rawValue == fault.stage, "\(error)")
        for secret in minted.secrets { #expect(!"\(error) \(error.facts)".contains(secret)) }
        if ![.simulatorToken, .duplicateKey, .noSigningTime].contains(fault) {
            #expect(error.facts.signedAt != nil, "the signing time is reported even in a refusal")
            #expect(error.facts.version?.hasSuffix("_v1") == (fault != .unknownVersion))
        }
    }

    @Test(
        "the window is five minutes in both directions",
        arguments: [
            (-301, true), (-300, false), (0, false), (300, false), (301, true), (86_400, true),
        ] as [(Int64, Bool)])
    func window(_ age: Int64, _ isRefused: Bool) async throws {
        let minted = try bench.wallet.mint(bench.request())
        let error = try await bench.refusal(minted.json, at: TestWallet.now - 2 + age)
        #expect((error != nil) == isRefused)
        if let error {
            #expect(error.stage == .time)
            #expect(error.facts.signedAt == TestWallet.now - 2)
        }
    }

    @Test(
        "a token of Xcode's Simulator is refused with that reason",
        arguments: [
            "", #"{"paymentData":{}}"#, #"{"paymentData":""}"#,
            #"{"paymentData":null,"transactionIdentifier":"Simulated"}"#,
            #"{"paymentData":{},"paymentMethod":{"displayName":"Simulated Instrument","network":"Visa"},"transactionIdentifier":""}"#,
        ])
    func simulator(_ token: String) async throws {
        let error = try #require(try await bench.refusal(Array(token.utf8)))
        #expect(error.stage == .parse)
        #expect(error.reason.contains("Simulator"))
    }

    @Test(
        "a malformed token names the member",
        arguments: [
            ("[]", "an object is expected"), (#"{"paymentData":"{}"}"#, "not a string"),
            (#"{"paymentData":[]}"#, "paymentData"),
            (#"{"version":1}"#, "version: a string is expected"), (#"{"header":[]}"#, "header: an object is expected"),
            (#"{"header":{"transactionId":7}}"#, "header.transactionId"), (#"{"version":"EC_v1"}"#, "no signature"),
            (#"{"signature":"AAAA"}"#, "CMS"), (#"{"signature":"A\nA="}"#, "signature is not base64"),
            (#"{"paymentMethod":"Visa","version":"EC_v1"}"#, "paymentMethod"),
            (#"{"version":"EC_v1","version":"EC_v1"}"#, "twice"),
        ])
    func malformed(_ token: String, _ expected: String) async throws {
        let error = try #require(try await bench.refusal(Array(token.utf8)))
        #expect(error.stage == .parse)
        #expect(error.reason.contains(expected), "\(error.reason)")
    }

    @Test("the maximum size is 64 KiB")
    func size() async throws {
        var tampering = Tampering()
        tampering.text = { $0.insert(contentsOf: [UInt8](repeating: 0x20, count: 65_536 - $0.count), at: 0) }
        #expect(try await bench.refusal(bench.wallet.mint(bench.request(), tampering: tampering).json) == nil)
        tampering.text = { $0.insert(contentsOf: [UInt8](repeating: 0x20, count: 65_537 - $0.count), at: 0) }
        let error = try #require(try await bench.refusal(bench.wallet.mint(bench.request(), tampering: tampering).json))
        #expect(error.stage == .parse)
    }

    @Test(
        "the same token in another JSON form is accepted",
        arguments: [
            ("/", "\\/"), (":", " : "), ("EC_v1", "\\u0045C_v1"), (#""version""#, #""future":{"a":[1]},"version""#),
        ])
    func forms(_ old: String, _ new: String) async throws {
        var tampering = Tampering()
        tampering.text = { $0 = Array(String(decoding: $0, as: UTF8.self).replacing(old, with: new).utf8) }
        #expect(try await bench.refusal(bench.wallet.mint(bench.request(), tampering: tampering).json) == nil)
    }

    @Test("paymentData alone is accepted")
    func bare() async throws {
        let whole = try JSONValue(parsing: bench.wallet.mint(bench.request()).json)
        let bare = try #require(whole["paymentData"]).bytes
        #expect(try await bench.refusal(bare) == nil)
        #expect(try bench.verifier.verify(bare, at: TestWallet.now).paymentMethod == nil)
    }

    @Test("the signing time is reported even when another part cannot be read")
    func factsOfMalformed() async throws {
        var tampering = Tampering()
        tampering.token = { $0.paymentData.header?.publicKeyHash = "AAAA" }
        let error = try #require(try await bench.refusal(bench.wallet.mint(bench.request(), tampering: tampering).json))
        #expect(error.stage == .parse)
        #expect(error.facts.signedAt == TestWallet.now - 2)
        #expect(error.facts.transactionID?.count == 64)
    }

    @Test("what may be shown contains no secret", arguments: [Wallet.Content.threeDSecure, .emv, .emvWithPIN])
    func masking(_ content: Wallet.Content) async throws {
        var request = bench.request(.rsa, content)
        request.cardholderName = "LI/LEI"
        let minted = try bench.wallet.mint(request)
        let card = try await bench.verifier.verify(minted.json, at: TestWallet.now).decrypt(with: bench.keys())
        let shown = String(decoding: card.json(revealing: false).bytes, as: UTF8.self) + card.maskedDescription
        for secret in minted.secrets + ["LI/LEI"] { #expect(!shown.contains(secret)) }
        #expect(shown.contains("************\(minted.accountNumber.suffix(4))"))
    }
}
