import Foundation
import OrchardServiceKit
import SandboxWallet
import TestSupport
import Testing

@testable import Sandbox

@Suite("The command line of sandbox wallet serve")
struct WalletProgramTests {
    @Test(
        "says what is wrong before it serves",
        arguments: [
            (["--port", "web"], "--port is a port, not web"), (["--port", "65536"], "--port is a port"),
            (["--name", "https://sessions"], "--name is a host's name, not https://sessions"),
            (["--name", "sessions", "--name", ""], "--name is a host's name"),
            (["--host", "nowhere"], "nowhere is no IPv4 address"), (["--host", "::1"], "::1 is no IPv4 address"),
        ])
    func malformed(_ arguments: [String], _ message: String) async throws {
        let folder = try TemporaryFolder()
        try Wallet(merchants: ["merchant.example"]).save(to: folder.url)
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: SandboxProgram.root).run(
            ["wallet", "serve", folder.url.path] + arguments, output: { _ in },
            errors: { text in errors.withLock { $0 += text } })
        #expect(status != 0)
        #expect(errors.withLock { $0 }.contains(message), "\(errors.withLock { $0 })")
    }
}
