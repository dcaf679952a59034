import Foundation
import KeyFiles
import SandboxProcesses
import TestSupport
import Testing

@testable import OrchardServiceKit
@testable import TokenIngest

@Suite("token-ingest keys csr")
final class CertificateRequestTests: Sendable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func files(_ options: [String]) throws -> CertificateRequestFiles {
        let csr = try #require(KeysCommand.command.subcommands.first { $0.name == "csr" })
        switch CommandParser(root: Command(name: "test", summary: "", options: csr.options)).parse(options) {
        case .run(_, let invocation): return try CertificateRequestFiles(invocation)
        case .wrong(let error, _): throw error
        default: throw UsageError("this is no run")
        }
    }

    private func options(_ algorithm: String) -> [String] {
        ["--algorithm", algorithm, "--key", path("key.pem"), "--output", path("a.csr")]
    }

    private func path(_ name: String) -> String { folder.url.appending(path: name).path }

    @Test(
        "makes a key and a request that openssl verifies, of the algorithm that Apple takes",
        arguments: [("ec", "ASN1 OID: prime256v1"), ("rsa", "Public-Key: (2048 bit)")])
    func make(_ algorithm: String, _ form: String) throws {
        let files = try files(options(algorithm) + ["--name", "茶 shop"])
        try files.make()
        let run = try ProgramRun(
            "openssl", "req -in a.csr -noout -verify -text -nameopt utf8".split(separator: " ").map(String.init),
            in: folder.url)
        #expect(run.status == 0 && run.output.contains(form), "\(run.output)")
        #expect(run.output.contains("verify OK") && run.output.contains("CN=茶 shop"), "\(run.output)")
        let mode = try FileManager.default.attributesOfItem(atPath: path("key.pem"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let key = try ProgramRun("openssl", ["pkey", "-in", path("key.pem"), "-pubout"])
        let asked = try ProgramRun("openssl", ["req", "-in", path("a.csr"), "-noout", "-pubkey"])
        #expect(key.output == asked.output, "the request is for the key")
        #expect(files.nextSteps.contains("Create Certificate") && files.nextSteps.contains(path("key.pem")))
    }

    @Test("of an identity is RSA, and leads to Apple's other certificate")
    func identity() throws {
        let files = try files(["--use", "identity", "--key", path("key.pem"), "--output", path("a.csr")])
        try files.make()
        let run = try ProgramRun(
            "openssl", "req -in a.csr -noout -verify -text".split(separator: " ").map(String.init), in: folder.url)
        #expect(run.output.contains("Public-Key: (2048 bit)") && run.output.contains("verify OK"), "\(run.output)")
        #expect(run.output.contains("CN = Apple Pay Merchant Identity"), "\(run.output)")
        for word in ["Apple Pay Merchant Identity Certificate", "merchant_id.cer", "applePay.identities", "Add Domain"]
        {
            #expect(files.nextSteps.contains(word), "\(word)")
        }
        #expect(!files.nextSteps.contains("Payment Processing"))
    }

    @Test("nothing is overwritten, and no key stays behind without its request")
    func exists() throws {
        try Data("old".utf8).write(to: folder.url.appending(path: "a.csr"))
        #expect(throws: KeyFileError.self) { try self.files(self.options("ec")).make() }
        #expect(!FileManager.default.fileExists(atPath: path("key.pem")))
        try FileManager.default.removeItem(atPath: path("a.csr"))
        try files(options("ec")).make()
        let key = try Data(contentsOf: folder.url.appending(path: "key.pem"))
        #expect(throws: KeyFileError.self) { try self.files(self.options("ec")).make() }
        #expect(try Data(contentsOf: folder.url.appending(path: "key.pem")) == key)
    }

    @Test("wrong options are refused")
    func usage() {
        for options in [
            options("dsa"), ["--output", path("a.csr")], ["--key", path("a"), "--output", path("a")],
            options("ec") + ["--name", String(repeating: "x", count: 65)], options("ec") + ["--use", "identity"],
            options("rsa") + ["--use", "signing"],
        ] {
            #expect(throws: UsageError.self) { try self.files(options) }
        }
    }
}
