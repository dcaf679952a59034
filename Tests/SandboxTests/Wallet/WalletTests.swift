import Foundation
import SandboxPKI
import SandboxProcesses
import SandboxWallet
import TestSupport
import Testing

@Suite("Wallet")
struct WalletTests {
    /// One wallet for all tests: RSA keys take a while.
    private static let shared = Result { try Wallet(merchants: [merchant]) }
    private static let merchant = "merchant.com.example.orchard"
    private let wallet: Wallet
    private let merchant = Self.merchant

    init() throws { wallet = try Self.shared.get() }

    @Test("A token has Apple's format", arguments: Wallet.Scheme.allCases)
    func shape(_ scheme: Wallet.Scheme) throws {
        var request = MintRequest(merchant: merchant, amount: 1)
        request.scheme = scheme
        request.applicationData = Array("order".utf8)
        let minted = try wallet.mint(request)
        let token = try JSONDecoder().decode(PaymentToken.self, from: Data(minted.json))
        let header = try #require(token.paymentData.header)
        #expect(token.paymentData.version == scheme.rawValue)
        #expect((header.ephemeralPublicKey == nil) == (scheme == .rsa))
        #expect((header.wrappedKey == nil) == (scheme == .ec))
        #expect(header.transactionId == minted.transactionID)
        #expect(token.transactionIdentifier == minted.transactionID.uppercased())
        #expect(header.applicationData == Hexadecimal.encode(Digest.sha256.hash(Array("order".utf8))))
        #expect(token.paymentMethod.displayName == "ChinaUnionPay \(minted.accountNumber.suffix(4))")
    }

    @Test("Card numbers carry the network's prefix, length and check digit", arguments: Wallet.Network.allCases)
    func accountNumbers(_ network: Wallet.Network) throws {
        var request = MintRequest(merchant: merchant, amount: 1)
        request.network = network
        let digits = try wallet.mint(request).accountNumber.compactMap(\.wholeNumberValue)
        let sum = digits.reversed().enumerated().reduce(0) { sum, digit in
            let weighted = digit.element * (digit.offset % 2 == 1 ? 2 : 1)
            return sum + weighted / 10 + weighted % 10
        }
        #expect(sum % 10 == 0)
        #expect(digits.count == [.amex: 15, .chinaUnionPay: 19][network, default: 16])
    }

    @Test("Two tokens share neither card number, cryptogram nor transaction")
    func freshness() throws {
        let tokens = try (0..<2).map { _ in try wallet.mint(MintRequest(merchant: merchant, amount: 1)) }
        #expect(Set(tokens[0].secrets).isDisjoint(with: tokens[1].secrets))
        #expect(tokens[0].transactionID != tokens[1].transactionID)
    }

    @Test(
        "The session server has the names that are given, and its key stays the same",
        arguments: [("sessions", true), ("pay.example", true), ("localhost", true), ("other", false)])
    func serverNames(_ name: String, _ isKnown: Bool) throws {
        let server = try wallet.server(named: ["sessions", "pay.example"])
        let folder = try TemporaryFolder()
        let root = try folder.write("root.pem", wallet.root.certificate.pem)
        let certificate = try folder.write("server.pem", server.certificate.pem)
        let run = try ProgramRun("openssl", ["verify", "-CAfile", root, "-verify_hostname", name, certificate])
        #expect((run.status == 0) == isKnown, "\(run.output)")
        #expect(try server.key.pem == wallet.server.key.pem)
    }

    @Test("The secrets are everything that must not leave the token")
    func secrets() throws {
        var request = MintRequest(merchant: merchant, amount: 1)
        request.scheme = .rsa
        request.content = .emvWithPIN
        let minted = try wallet.mint(request)
        let payload = String(decoding: minted.payload, as: UTF8.self)
        #expect(minted.secrets.count == 3)
        for secret in minted.secrets { #expect(payload.contains("\"\(secret)\"")) }
    }

    @Test("A saved wallet mints under the same root")
    func savedAndLoaded() throws {
        let folder = try TemporaryFolder()
        try wallet.save(to: folder.url)
        let copy = try Wallet(directory: folder.url)
        #expect(copy.root.certificate.der == wallet.root.certificate.der)
        #expect(copy.merchants.map(\.id) == [merchant])
        #expect(copy.merchants[0].keys.count == 4)
        _ = try copy.mint(MintRequest(merchant: merchant, amount: 1))
        let key = folder.url.appending(path: "\(merchant)/processing-EC_v1-1.key.pem").path
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test(
        "Amounts as people write them",
        arguments: [
            ("CNY", "12.34", 1_234), ("CNY", "12", 1_200), ("CNY", "0.5", 50), ("JPY", "1234", 1_234),
            ("KWD", "1.5", 1_500),
            ("JPY", "1.5", nil), ("CNY", "1.234", nil), ("CNY", "-1", nil), ("CNY", ".5", nil), ("CNY", "1.", nil),
            ("CNY", "", nil),
        ] as [(String, String, Int64?)])
    func minorUnits(_ currency: String, _ text: String, _ expected: Int64?) throws {
        #expect(try WalletCurrency(currency).minorUnits(text) == expected)
    }

    @Test("An unknown merchant, currency or folder is refused")
    func refusals() throws {
        #expect(throws: WalletError.self) { try wallet.mint(MintRequest(merchant: "merchant.unknown", amount: 1)) }
        #expect(throws: WalletError.self) {
            try wallet.mint(MintRequest(merchant: merchant, amount: 1, currency: "XXX"))
        }
        #expect(throws: WalletError.self) { try Wallet(directory: URL(filePath: "/nonexistent")) }
    }
}
