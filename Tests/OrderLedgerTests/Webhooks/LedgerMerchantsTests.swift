import Contracts
import Foundation
import KeyFiles
import LedgerFixtures
import OrchardCrypto
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("The webhooks of merchants.json")
struct LedgerMerchantsTests {
    private static let secret = "whsec_" + Base64.encode([UInt8](repeating: 5, count: 32))

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a `merchants.json` with one endpoint, and its secret.
    private func write(_ url: String, _ more: String = "", secret: String? = secret, mode: Int = 0o600) throws -> String
    {
        let file = folder.url.appending(path: "erp.secret")
        if let secret {
            try writePrivately(secret.utf8, to: file)
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        }
        let webhooks = #""webhooks": [{"id": "erp", "url": "\#(url)", "secrets": ["erp.secret"]\#(more)}], "origins":"#
        return try folder.write(
            "merchants.json", Shop.registryJSON.replacing(#""origins":"#, with: webhooks, maxReplacements: 1))
    }

    private func problems(_ path: String) -> [ConfigurationError.Problem] {
        do throws(ConfigurationError) {
            _ = try LedgerMerchants.file(path)
            return []
        } catch { return error.problems }
    }

    @Test("are read with their secrets, and again when a secret changes")
    func reads() async throws {
        let path = try write("https://erp.example/orchard")
        let file = try LedgerMerchants.file(path)
        let target = try #require(file.current.webhooks.first)
        let code = target.keys.first?.authenticate([1])
        #expect(target.name.endpoint == "erp" && target.keys.count == 1 && file.current.webhooks.count == 1)
        let other = "whsec_" + Base64.encode([UInt8](repeating: 6, count: 33))
        try writePrivately(other.utf8, to: folder.url.appending(path: "erp.secret"))
        #expect(await file.reload() == nil)
        #expect(file.current.webhooks.first?.keys.first?.authenticate([1]) != code)
    }

    @Test(
        "may have a private address only if they say so",
        arguments: [
            "https://127.0.0.1/", "https://localhost/", "https://10.0.0.1/", "https://[::1]:8443/",
            "https://169.254.169.254/",
            "https://[::ffff:127.0.0.1]/", "https://0.0.0.0/",
        ])
    func privateAddresses(_ url: String) throws {
        let problem = try #require(problems(try write(url)).first)
        #expect(problem.key == "merchants: Orchard Tea, webhooks[0].url")
        #expect(problem.reason.contains("allowPrivateAddress"))
        #expect(problems(try write(url, #", "allowPrivateAddress": true"#)) == [])
    }

    @Test("are refused for an address that is none, also of the own network without TLS")
    func wrongAddresses() throws {
        for url in ["https://user:pass@erp.example/", "https://erp.example/#x", "https:///x", "https://erp.example:0/"]
        {
            #expect(problems(try write(url)).map(\.key) == ["merchants: Orchard Tea, webhooks[0].url"], "\(url)")
        }
        let plain = problems(try write("http://10.0.0.1/", #", "allowPrivateAddress": true"#))
        #expect(plain.map(\.key) == ["merchants: Orchard Tea, webhooks[0].url"])
        #expect(problems(try write("http://127.0.0.1:8080/", #", "allowPrivateAddress": true"#)) == [])
    }

    @Test("are refused without a secret that only its owner may read; the reason does not show it")
    func secrets() throws {
        let url = "https://erp.example/"
        let place = "merchants: Orchard Tea, webhooks[0].secrets[0]"
        #expect(problems(try write(url, secret: nil)).map(\.key) == [place])
        #expect(problems(try write(url, mode: 0o644)).map(\.key) == [place])
        let wrong = problems(try write(url, secret: "hunter2"))
        #expect(wrong.map(\.key) == [place])
        #expect(!wrong[0].reason.contains("hunter2") && wrong[0].reason.contains("whsec_"))
    }
}
