import Foundation
import OrchardServiceKit
import SandboxAcquirer
import SandboxWallet
import TestSupport
import Testing

@testable import Sandbox

@Suite("The folders of keys that init writes")
struct InitRuleTests {
    /// Runs a command line of the program; returns the exit status and the error text.
    private func run(_ arguments: String...) async -> (status: Int32, errors: String) {
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: SandboxProgram.root).run(
            arguments, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        return (status, errors.withLock { $0 })
    }

    @Test(
        "a folder that holds keys is not changed, even without the file that lists them",
        arguments: [("wallet", Wallet.manifestFile), ("acquirer", AcquirerPKI.file)])
    func keys(_ program: String, _ list: String) async throws {
        let folder = try TemporaryFolder()
        let inner = folder.url.appending(path: "keys")
        #expect(await run(program, "init", inner.path).status == 0)
        func content() throws -> [String: Data] {
            let names = try FileManager.default.contentsOfDirectory(atPath: inner.path)
            let files = names.filter { $0.hasSuffix("pem") || $0.hasSuffix("key") }
            return try Dictionary(
                uniqueKeysWithValues: files.map { ($0, try Data(contentsOf: inner.appending(path: $0))) })
        }
        let before = try content()
        #expect(!before.isEmpty)
        let again = await run(program, "init", inner.path)
        #expect(again.status == 2 && again.errors.contains("holds keys already"), "\(again.errors)")
        try FileManager.default.removeItem(at: inner.appending(path: list))
        #expect(await run(program, "init", inner.path).status == 2)
        #expect(try content() == before)
    }

    @Test("a folder that cannot be made is reported in plain text", arguments: ["wallet", "acquirer"])
    func noFolder(_ program: String) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try Data().write(to: file)
        let answer = await run(program, "init", file.appending(path: "keys").path)
        #expect(answer.status == 2)
        #expect(answer.errors.contains("file/keys cannot be written: Not a directory"), "\(answer.errors)")
        #expect(!answer.errors.contains("NS"), "\(answer.errors)")
    }

    @Test(
        "the error about a folder that init did not write names the command that makes one",
        arguments: [
            (["acquirer", "serve"], "has no acquirer.json: make it with `sandbox acquirer init`"),
            (["wallet", "mint"], "has no manifest.json: make it with `sandbox wallet init`"),
        ])
    func missing(_ command: [String], _ arguments: String) async {
        let answer = await run(command[0], command[1], "/nonexistent")
        #expect(answer.status == 1)
        #expect(answer.errors.contains("sandbox: /nonexistent \(arguments)"), "\(answer.errors)")
    }
}
