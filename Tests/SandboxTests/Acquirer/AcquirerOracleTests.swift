import Foundation
import SandboxBroker
import SandboxProcesses
import TestSupport
import Testing

/// The independent acquirer's own tests, run against our acquirer: its Python program is replaced by one that starts
/// `sandbox acquirer`. The merchant in these tests is the `openssl` command.
@Suite("Acquirer before the independent acquirer's tests", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
struct AcquirerOracleTests {
    /// Left out because it calls the Python program's own functions.
    private static let selection = "not signature_agrees"

    @Test("Sales, what follows them, settlement files, queries, notifications, forgeries and lost answers")
    func theirTests() async throws {
        let folder = try TemporaryFolder()
        let name = "test_unionpay_acquirer.py"
        try FileManager.default.copyItem(atPath: Oracles.path(name), toPath: folder.url.appending(path: name).path)
        let shim = """
            import os, sys
            program = \(String(reflecting: try SandboxExecutable.find().path))
            os.execv(program, [program, "acquirer", *sys.argv[1:]])
            """
        try Data(shim.utf8).write(to: folder.url.appending(path: "unionpay_acquirer.py"))
        let result = try await Oracles.run(
            ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", Self.selection, name], in: folder.url)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("27 passed"), "\(result.output)")
    }
}
