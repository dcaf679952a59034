import ApplePayToken
import Contracts
import Foundation
import OrchardJSON
import SandboxWallet
import Testing

@testable import OrchardServiceKit
@testable import TokenIngest

@Suite("token-ingest inspect")
final class InspectionTests: Sendable {
    static let merchant = "merchant.com.example.inspect"
    static let now: Int64 = 1_795_269_600
    private static let wallet = Result { try Wallet(merchants: [merchant], at: now) }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "orchard-inspect-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Self.wallet.get().save(to: folder)
        try Data(
            """
            {"merchants": [{"id": "0123456789abcdef0123456789abcdef", "displayName": "Tea", "countryCode": "CN",
              "networks": ["chinaUnionPay"], "applePay": {"merchantIdentifier": "\(Self.merchant)", "keys": [
                {"key": "\(Self.merchant)/processing-EC_v1-1.key.pem",
                 "certificate": "\(Self.merchant)/processing-EC_v1-1.cert.pem"}]},
              "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "environment": "test", "account": "777290058110048", "currencies": ["CNY"],
                "paymentData": ["EMV"], "settings": {"signingKey": "a", "signingCertificate": "b"}}],
              "apiKeys": [{"id": "shop", "sha256": "\(String(repeating: "0", count: 64))"}]}]}
            """.utf8
        ).write(to: folder.appending(path: "merchants.json"))
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Options as on the command line; values that end in a file's name are in the wallet's folder.
    private func inspection(_ arguments: [String], now: Int64 = now) throws -> Inspection {
        let arguments = arguments.map {
            $0.hasSuffix(".pem") || $0.hasSuffix(".json") ? folder.appending(path: $0).path : $0
        }
        let command = Command(name: "test", summary: "", options: InspectCommand.command.options)
        switch CommandParser(root: command).parse(arguments) {
        case .run(_, let invocation): return try Inspection(invocation, now: Timestamp(seconds: now))
        case .wrong(let error, _): throw error
        default: throw UsageError("this is no run")
        }
    }

    private func mint(_ scheme: Wallet.Scheme = .ec) throws -> MintedToken {
        var request = MintRequest(merchant: Self.merchant, amount: 1234, signedAt: Self.now - 2)
        request.scheme = scheme
        return try Self.wallet.get().mint(request)
    }

    @Test("the body of POST /v1/payments is unwrapped, any other text is used unchanged")
    func unwrapping() async throws {
        let token = try mint().json
        let body = Array(#"{"token":"#.utf8) + token + Array("}".utf8)
        let inspection = try inspection(Self.files + Self.certificate)
        #expect(await inspection.report(on: Inspection.unwrapped(token)).status == 0)
        #expect(await inspection.report(on: Inspection.unwrapped(body)).status == 0)
        #expect(Inspection.unwrapped(Array("{".utf8)) == Array("{".utf8))
    }

    private static let files = ["--root", "root.cert.pem", "--key", "\(merchant)/processing-EC_v1-1.key.pem"]
    private static let certificate = ["--certificate", "\(merchant)/processing-EC_v1-1.cert.pem"]

    @Test(
        "opens a token with keys from merchants.json or from options",
        arguments: [
            files + certificate, files + ["--merchant-id", merchant],
            ["--root", "root.cert.pem", "--merchants", "merchants.json"],
            ["--root", "root.cert.pem", "--key", "\(merchant)/processing-RSA_v1-1.key.pem"] + files[2...] + certificate,
        ])
    func accepted(_ arguments: [String]) async throws {
        let token = try mint()
        let report = try await inspection(arguments).report(on: token.json)
        #expect(report.status == 0)
        #expect(report.json["verdict"]?.string == "accept")
        #expect(report.json["stage"]?.string == "payload")
        #expect(report.json["reason"] == .null)
        #expect(report.json["version"]?.string == "EC_v1")
        #expect(report.json["signedAt"]?.string == "2026-11-21T13:59:58Z")
        #expect(report.json["leaf"]?.string == "ecc-smp-broker-sign_UC4-SANDBOX")
        #expect(report.json["transactionId"]?.string == token.transactionID)
        #expect(report.json["payload"]?["transactionAmount"]?.integer == 1234)
        for secret in token.secrets { #expect(!report.text.contains(secret)) }
        #expect(try JSONValue(parsing: Array(report.text.utf8)).bytes == report.json.bytes)

        let revealed = try await inspection(arguments + ["--reveal"]).report(on: token.json)
        for secret in token.secrets { #expect(revealed.text.contains(secret)) }
    }

    @Test("an RSA key opens its tokens without the merchant's identifier")
    func loneKey() async throws {
        let arguments = ["--root", "root.cert.pem", "--key", "\(Self.merchant)/processing-RSA_v1-2.key.pem"]
        var request = MintRequest(merchant: Self.merchant, amount: 1, signedAt: Self.now)
        request.scheme = .rsa
        request.generation = 2
        let token = try Self.wallet.get().mint(request)
        #expect(try await inspection(arguments).report(on: token.json).status == 0)
    }

    @Test("verifies only, without a key")
    func verified() async throws {
        let report = try await inspection(["--root", "root.cert.pem"]).report(on: mint().json)
        #expect(report.status == 0)
        #expect(report.json["stage"]?.string == "time")
        #expect(report.json["payload"] == .null)
    }

    @Test("a refusal names stage, reason and signing time")
    func rejected() async throws {
        let token = try mint().json
        let late = try await inspection(Self.files + Self.certificate, now: Self.now + 86_400).report(on: token)
        #expect(late.status == 1)
        #expect(late.json["verdict"]?.string == "reject")
        #expect(late.json["stage"]?.string == "time")
        #expect(late.json["signedAt"]?.string == "2026-11-21T13:59:58Z")
        let named = try inspection(
            Self.files + Self.certificate + ["--at", "2026-11-21T22:00:00+08:00"], now: Self.now + 86_400)
        #expect(await named.report(on: token).status == 0)
        let apple = try await inspection([]).report(on: token)
        #expect(apple.json["stage"]?.string == "chain")
        #expect(apple.json["signedAt"]?.string == "2026-11-21T13:59:58Z")
        let simulator = try await inspection([]).report(on: Array(#"{"paymentData":{}}"#.utf8))
        #expect(simulator.json["reason"]?.string?.contains("Simulator") == true)
        #expect(simulator.json["signedAt"] == .null)
    }

    @Test(
        "wrong usage is distinguished from a wrong token",
        arguments: [
            ["--at", "yesterday"], ["--at", "2026-11-21"], ["--root", "none.pem"], ["--root", "merchants.json"],
            ["--key", "none.pem"], certificate, ["--merchant-id", "x"],
            files + certificate + ["--merchant-id", merchant],
            ["--merchants", "merchants.json"] + files + certificate, ["--merchants", "manifest.json"],
            ["--merchants", "none.json"],
            Array(files), ["--key", "\(merchant)/processing-EC_v1-2.key.pem"] + certificate,
            ["--key", "root.cert.pem"],
            ["--unknown"], ["--reveal=yes"], ["token.json"],
        ])
    func usage(_ arguments: [String]) {
        #expect { try inspection(arguments) } throws: { $0 is UsageError || $0 is ConfigurationError }
    }
}
