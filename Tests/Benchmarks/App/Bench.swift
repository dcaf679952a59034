import Foundation
import OrchardPostgres
import OrchardServiceKit
import SandboxBroker
import SandboxDatabase
import SandboxProcesses

/// The servers of a run, and the settings that its rows need.
struct Bench: Sendable {
    let bootstrapServers: String
    let cluster: PrivateCluster
    /// The folder of the built programs.
    let programs: URL
    let folder: URL
    /// A percentage of the usual amount of work.
    let scale: Int
    let flush: FlushLatency
    private let postgresVersion: String
    private let kafka: URL?
    private let broker: BrokerProcess?

    init(bootstrapServers given: String?, programs: URL?, scale: Int) async throws {
        self.scale = scale
        self.programs = try programs ?? SandboxExecutable.find().deletingLastPathComponent()
        folder = URL(filePath: ".run/bench-\(ProcessInfo.processInfo.processIdentifier)").absoluteURL
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = URL(filePath: "../shared/kafka/kafka").absoluteURL
        flush = try FlushLatency(in: folder)
        if let given {
            (bootstrapServers, kafka, broker) = (given, nil, nil)
        } else if FileManager.default.isExecutableFile(atPath: script.path) {
            let directory = folder.appending(path: "kafka")
            bootstrapServers = try await Self.start(script, in: directory)
            (kafka, broker) = (script, nil)
            try Self.killAtEnd(script, in: directory)
        } else {
            let broker = try BrokerProcess()
            (bootstrapServers, kafka, self.broker) = (broker.bootstrapServers, nil, broker)
        }
        cluster = try await PrivateCluster.start(isDurable: true)
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: cluster.connectionString))
        postgresVersion = try await connection.query("SELECT current_setting('server_version') AS version")[0]
            .string("version")
        await connection.close()
    }

    /// Whether Kafka is a real one, not the embedded broker.
    var hasRealKafka: Bool { broker == nil }

    /// The CPU-seconds that Kafka has used, an external one's not counted.
    var kafkaSeconds: Double {
        if let broker { return ProcessTime.seconds(of: broker.processID) }
        guard kafka != nil else { return 0 }
        let directory = folder.appending(path: "kafka")
        let nodes = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        return nodes.compactMap { try? String(contentsOf: $0.appending(path: "pid"), encoding: .utf8) }
            .compactMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
            .reduce(0) { $0 + ProcessTime.seconds(of: $1) }
    }

    func amount(_ usual: Int) -> Int { max(1, usual * scale / 100) }

    /// The servers of the figures.
    var servers: String {
        "\(flush); PostgreSQL \(postgresVersion); "
            + (broker == nil ? "Apache Kafka at \(bootstrapServers)" : "the embedded broker")
    }

    /// Removes the remains of a benchmark from PostgreSQL, which would otherwise be vacuumed and flushed during the
    /// next one.
    func tidy() async throws {
        let connection = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: cluster.connectionString))
        let databases = try await connection.query(
            "SELECT quote_ident(datname) AS name FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'")
        for database in databases {
            try await connection.script("DROP DATABASE \(database.string("name")) WITH (FORCE)")
        }
        try await connection.script("CHECKPOINT")
        await connection.close()
    }

    func end() async {
        await cluster.stop()
        broker?.stop()
        // Without `await`: also when this task is cancelled.
        if let kafka { _ = try? ProgramRun(kafka.path, ["kill", "--dir", folder.appending(path: "kafka").path]) }
        try? FileManager.default.removeItem(at: folder)
    }

    private static func start(_ kafka: URL, in directory: URL, attempts: Int = 3) async throws -> String {
        do {
            return try await run(kafka, ["start", "--dir", directory.path])
        } catch  where error is BenchError && attempts > 1 {
            // One random cluster id in 64 begins with a hyphen, and Kafka's tool takes it for an option.
            try? FileManager.default.removeItem(at: directory)
            return try await start(kafka, in: directory, attempts: attempts - 1)
        }
    }

    /// Stops Kafka, which outlives its script, when this process has ended in any way.
    private static func killAtEnd(_ kafka: URL, in directory: URL) throws {
        let script = #"""
            trap "" INT TERM; while kill -0 "$0" 2>/dev/null; do sleep 1; done; "$1" kill --dir "$2"; rm -rf "$2"
            """#
        let process = "\(ProcessInfo.processInfo.processIdentifier)"
        _ = try ChildProcess(
            ChildCommand(
                "/bin/sh", ["-c", script, process, kafka.path, directory.path], output: .null, errors: .null))
    }

    /// Starts a service that runs until it is stopped.
    func start(_ program: String, _ arguments: [String], _ environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            ChildCommand(
                programs.appending(path: program).path, arguments,
                environment: ChildCommand.environment(adding: environment)))
    }

    /// Runs a program to its end and returns its output.
    @discardableResult
    static func run(
        _ program: URL, _ arguments: [String], _ environment: [String: String] = [:]
    ) async throws -> String {
        let child = try ChildProcess(
            ChildCommand(
                program.path, arguments, environment: ChildCommand.environment(adding: environment), output: .pipe))
        let status = await child.ended()
        let output = child.output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard status == 0 else {
            throw BenchError("\(program.lastPathComponent) \(arguments.joined(separator: " ")): \(output)")
        }
        return output
    }
}

/// Why no measurement is possible.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
