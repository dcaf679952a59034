import Foundation
import OrchardServiceKit
import SandboxBroker
import SandboxProcesses
import TestSupport

/// A real Apache Kafka on loopback, started by `../shared/kafka/kafka` in a directory of its own and killed at exit.
struct RealKafka: Sendable {
    /// Whether `ORCHARD_REAL_KAFKA=1` asks for the tests that need one.
    static var isWanted: Bool { ProcessInfo.processInfo.environment["ORCHARD_REAL_KAFKA"] == "1" }

    let directory: String
    let bootstrapServers: String

    private init(in directory: String, _ options: [String]) async throws {
        self.directory = directory
        bootstrapServers = try await Self.script(["start", "--dir", directory] + options)
    }

    static func start(_ options: [String] = []) async throws -> RealKafka {
        // One random cluster id in 64 begins with a hyphen, and Kafka's tool takes it for an option.
        for _ in 0..<3 {
            do { return try await startOnce(options) } catch let error as BrokerError
                where error.description.contains("--cluster-id")
            {}
        }
        return try await startOnce(options)
    }

    private static func startOnce(_ options: [String]) async throws -> RealKafka {
        let directory = NSTemporaryDirectory() + "orchard-kafka-\(UInt32.random(in: 0...UInt32.max))"
        started.withLock { directories in
            if directories.isEmpty { atexit { RealKafka.killAll() } }
            directories.append(directory)
        }
        return try await RealKafka(in: directory, options)
    }

    /// SIGKILL for the broker.
    func kill() async throws { _ = try await Self.script(["kill", "--dir", directory]) }

    /// Starts the broker again, with its data and its port.
    func restart() async throws { _ = try await Self.script(["start", "--dir", directory]) }

    /// SIGSTOP: connections stay, nothing answers.
    func pause() async throws { _ = try await Self.script(["pause", "--dir", directory]) }

    /// SIGCONT.
    func resume() async throws { _ = try await Self.script(["resume", "--dir", directory]) }

    /// One of Kafka's own tools.
    func tool(_ arguments: String...) async throws -> String {
        try await Self.script(["tool", "--dir", directory] + arguments)
    }

    private static let started = Locked<[String]>([])

    private static let program = Checkout.root.appending(path: "../shared/kafka/kafka").standardizedFileURL.path

    private static func killAll() {
        for directory in started.withLock({ $0 }) {
            _ = try? ProgramRun(program, ["kill", "--dir", directory])
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    private static func script(_ arguments: [String]) async throws -> String {
        let folder = try TemporaryFolder()
        // What it warns of is no part of its answer.
        let errors = folder.url.appending(path: "errors")
        let child = try ChildProcess(ChildCommand(program, arguments, output: .pipe, errors: .file(errors)))
        guard await child.ended() == 0 else {
            throw BrokerError("kafka \(arguments): \(try String(contentsOf: errors, encoding: .utf8))")
        }
        return child.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
