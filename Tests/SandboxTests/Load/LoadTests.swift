import Foundation
import SandboxBroker
import SandboxProcesses
import SandboxWallet
import TestSupport
import Testing

@testable import SandboxDemo

@Suite("A load on real services", .timeLimit(.minutes(4)))
struct LoadTests {
    @Test("its idempotency keys differ from another run's, and no audit takes one for a card's number")
    func runNames() {
        let names = (0..<50).map { _ in RunName.random() }
        #expect(Set(names).count == 50)
        #expect(names.allSatisfy { $0.allSatisfy(\.isLetter) })
    }

    @Test("ends with 0 when every payment has an outcome, and with 1 when one has none")
    func statuses() async throws {
        var options = DemoOptions()
        options.processes = 1
        let folder = try TemporaryFolder()
        options.run = folder.url
        try await SandboxSystem.run(options) { system in
            let load = try system.load()
            let key = try folder.write("api-key", load.apiKey)
            let text =
                [
                    "load", system.wallet.path, "--merchant", load.payment.merchant, "--api-key-file", key, "--ledger",
                    load.ledgers[0], "--ingest", load.ingests[0],
                ]
            let program = try SandboxExecutable.find().path
            let good = try await ProgramRun.outside(program, text + ["--rate", "10", "--seconds", "2"])
            #expect(good.status == 0, "\(good.output)")
            #expect(good.output.contains("\n  20  paid\n"), "\(good.output)")

            let fast = try await ProgramRun.outside(program, text + ["--payments", "20", "--customers", "4"])
            #expect(fast.status == 0, "\(fast.output)")
            #expect(fast.output.contains("\n  20  paid\n"), "\(fast.output)")

            // 741: the acquirer never reports how the charge ended.
            let silent = try await ProgramRun.outside(
                program, text + ["--payments", "2", "--amount", "17.41", "--wait", "1"])
            #expect(silent.status == 1, "\(silent.output)")
            #expect(silent.output.contains("\n  2  without an outcome: the device got none\n"), "\(silent.output)")
            #expect(silent.output.hasSuffix("RESULT   2 payments have no outcome, 0 customers were not played\n"))

            // 864: insufficient funds.
            let declined = try await ProgramRun.outside(program, text + ["--payments", "1", "--amount", "18.64"])
            #expect(declined.status == 0, "\(declined.output)")
            #expect(declined.output.contains("\n  1  declined: insufficientFunds\n"), "\(declined.output)")
        }
    }
}
