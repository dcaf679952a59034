import Foundation
import OrchardServiceKit
import TestSupport
import Testing

@testable import Sandbox

@Suite("The command line of sandbox shop")
struct ShopProgramTests {
    @Test(
        "a malformed option is reported before anything is started",
        arguments: [
            (["--port", "shop"], "--port is a port, not shop"), (["--port", "65536"], "--port is a port"),
            (["--port", "-1"], "--port is a port"), (["--order-lifetime", "0"], "--order-lifetime is a number"),
            (["--order-lifetime", "1.5"], "--order-lifetime is a number"),
            (["--pages", "/nonexistent"], "--pages: /nonexistent is no folder"),
            (["--pages", "/etc/hostname"], "--pages: /etc/hostname is no folder"), (["--speed", "9"], "--speed"),
        ])
    func malformed(_ arguments: [String], _ message: String) async {
        let errors = Locked("")
        let status = await CommandLineProgram(version: "0", root: SandboxProgram.root).run(
            ["shop"] + arguments, output: { _ in }, errors: { text in errors.withLock { $0 += text } })
        #expect(status == 2)
        #expect(errors.withLock { $0 }.contains(message), "\(errors.withLock { $0 })")
    }
}
