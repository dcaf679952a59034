import Foundation
import OrchardServiceKit
import SandboxWallet
import TestSupport
import Testing

@testable import Sandbox

@Suite("The command line of sandbox load")
struct LoadProgramTests {
    private static let right = [
        "--merchant", "merchant.example", "--ledger", "http://127.0.0.1:1", "--ingest", "http://127.0.0.1:2",
    ]

    @Test(
        "a malformed option is reported before anything is played",
        arguments: [
            (["--rate", "fast"], "--rate fast: a number from 0.001 to 100000 is needed"),
            (["--rate", "0"], "--rate 0: a number"), (["--rate", "nan"], "--rate nan: a number"),
            (["--payments", "1.5"], "--payments 1.5: a whole number from 1 to"),
            (["--payments", "0"], "--payments 0:"),
            (["--seconds", "-1"], "--seconds -1: a number from 0.1"), (["--customers", "0"], "--customers 0: a whole"),
            (["--wait", "soon"], "--wait soon: a number"),
            (["--amount", "12.345"], "--amount 12.345 is no amount of CNY"),
            (["--type", "MAGSTRIPE"], "--type cannot be MAGSTRIPE"), (["--scheme", "EC"], "--scheme cannot be EC"),
            (["--network", "x"], "--network cannot be x"),
            (["--ledger", "127.0.0.1:8083"], "--ledger 127.0.0.1:8083: not"),
            (["--speed", "9"], "--speed"), (["--api-key-file", "/nonexistent"], "/nonexistent cannot be read"),
            ([], "--api-key-file is missing"),
        ])
    func malformed(_ arguments: [String], _ message: String) async {
        let answer = await run(["/nonexistent"] + Self.right + arguments)
        #expect(answer.status == 2)
        #expect(answer.errors.contains(message), "\(answer.errors)")
    }

    @Test("a missing required option is named", arguments: ["merchant", "ledger", "ingest"])
    func missing(_ name: String) async throws {
        let index = try #require(Self.right.firstIndex(of: "--\(name)"))
        var arguments = Self.right
        arguments.removeSubrange(index...(index + 1))
        let answer = await run(["/nonexistent"] + arguments)
        #expect(answer.status == 2)
        #expect(answer.errors.contains("--\(name) is missing"), "\(answer.errors)")
    }

    @Test("an address without an answer is reported at once")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let key = try folder.write("key", "secret\n")
        try Wallet(merchants: ["merchant.example"]).save(to: folder.url)
        let answer = await run([folder.url.path] + Self.right + ["--api-key-file", key, "--payments", "1"])
        #expect(answer.status == 1)
        #expect(answer.errors.contains("sandbox: no answer at http://127.0.0.1:2: connect"), "\(answer.errors)")
        #expect(!answer.errors.contains("secret"))
    }

    /// Runs a command line of the program; returns the exit status and the error text.
    private func run(_ arguments: [String]) async -> (status: Int32, errors: String) {
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: SandboxProgram.root).run(
            ["load"] + arguments, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        return (status, errors.withLock { $0 })
    }
}
