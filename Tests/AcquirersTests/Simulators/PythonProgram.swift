import Foundation
import ServiceKit

/// One of the independent Python programs beside the checkout; it runs until it is stopped.
final class PythonProgram: @unchecked Sendable {
    // @unchecked: the process is started in `init` and only ended afterwards.
    private let process = Process()
    private let output = Pipe()

    /// Said when a test that needs one is skipped.
    static let absence = "../shared/oracles or its Python packages are not here"

    static let folder = URL(filePath: #filePath).appending(path: "../../../../../shared/oracles").standardizedFileURL
        .path

    private static let interpreter = ProcessInfo.processInfo.environment["ORACLE_PYTHON"] ?? "python3"

    /// Whether the programs can run.
    static let isPresent: Bool = {
        guard FileManager.default.fileExists(atPath: folder + "/unionpay_acquirer.py") else { return false }
        guard let probe = try? PythonProgram(["-c", "import cryptography"]) else { return false }
        probe.process.waitUntilExit()
        return probe.process.terminationStatus == 0
    }()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [Self.interpreter] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// The first line that it prints, read on a thread of its own.
    func firstLine() async throws -> String {
        let line = Locked<[UInt8]>([])
        let descriptor = output.fileHandleForReading.fileDescriptor
        await runOnOwnThread(named: "python") {
            var byte: UInt8 = 0
            while read(descriptor, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
                let next = byte
                line.withLock { $0.append(next) }
            }
        }
        return String(decoding: line.withLock { $0 }, as: UTF8.self)
    }

    func stop() {
        // Not SIGTERM: it may be blocked in the child, which inherits the mask of the thread that started it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
