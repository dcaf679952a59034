import Foundation
import SandboxBroker
import ServiceKit

/// A real Apache Kafka on loopback, started by `../shared/kafka/kafka` in a directory of its own and killed at exit.
struct RealKafka: Sendable {
    /// Whether `ORCHARD_REAL_KAFKA=1` asks for the tests that need one.
    static var isWanted: Bool { ProcessInfo.processInfo.environment["ORCHARD_REAL_KAFKA"] == "1" }

    let directory: String
    let bootstrapServers: String

    init(_ options: [String] = []) throws {
        let directory = NSTemporaryDirectory() + "orchard-kafka-\(UInt32.random(in: 0...UInt32.max))"
        self.directory = directory
        Self.started.withLock { directories in
            if directories.isEmpty { atexit { RealKafka.killAll() } }
            directories.append(directory)
        }
        bootstrapServers = try Self.script(["start", "--dir", directory] + options)
    }

    /// SIGKILL for the broker.
    func kill() throws { _ = try Self.script(["kill", "--dir", directory]) }

    /// Starts the broker again, with its data and its port.
    func restart() throws { _ = try Self.script(["start", "--dir", directory]) }

    /// SIGSTOP: connections stay, nothing answers.
    func pause() throws { _ = try Self.script(["pause", "--dir", directory]) }

    /// SIGCONT.
    func resume() throws { _ = try Self.script(["resume", "--dir", directory]) }

    /// One of Kafka's own tools.
    func tool(_ words: String...) throws -> String { try Self.script(["tool", "--dir", directory] + words) }

    private static let started = Locked<[String]>([])

    private static func killAll() {
        for directory in started.withLock({ $0 }) {
            _ = try? script(["kill", "--dir", directory])
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    private static func script(_ arguments: [String]) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let process = Process()
        process.executableURL = root.appendingPathComponent("../shared/kafka/kafka").standardizedFileURL
        process.arguments = arguments
        // A file, not a pipe: the broker inherits it and would keep a pipe open.
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("kafka-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: output) }
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        let text = try String(contentsOf: output, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
        guard process.terminationStatus == 0 else { throw BrokerError("kafka \(arguments): \(text)") }
        return text
    }
}
