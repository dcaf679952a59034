import Foundation
import OrchardServiceKit
import SandboxAcquirer
import SandboxWallet
import TestSupport
import Testing

@testable import Sandbox

@Suite("What init never overwrites")
struct InitRuleTests {
    @Test("a folder that holds keys is left alone", arguments: [Wallet.manifestFile, AcquirerPKI.file])
    func keys(file: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "orchard-init-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try InitRule.requireNew(folder.path, without: file)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try InitRule.requireNew(folder.path, without: file)
        try Data("{}".utf8).write(to: folder.appending(path: file))
        #expect(throws: UsageError.self) { try InitRule.requireNew(folder.path, without: file) }
    }

    @Test("a folder that init did not write is told with the command that makes one")
    func missing() {
        #expect {
            try AcquirerPKI(directory: URL(filePath: "/nonexistent"))
        } throws: { "\($0)".contains("/nonexistent has no acquirer.json: make it with `sandbox acquirer init`") }
    }
}
