import Foundation
import SandboxBroker
import ServiceKit

/// A real `token-ingest serve` as a child process, on free ports; killed when this goes.
final class IngestProcess: Sendable {
    private let process: Locked<Process>
    private let written = Locked("")
    private let isOver = Locked(false)

    init(_ shop: Shop, brokers: String, _ more: [String: String] = [:]) throws {
        let process = Process()
        process.executableURL = try SandboxExecutable.find(name: "token-ingest")
        process.arguments = ["serve", "--http-port", "0", "--admin-port", "0"]
        var environment = [
            "MERCHANTS": shop.file("merchants.json"), "TICKET_KEYS": shop.file("tickets.json"),
            "SEALING_KEYS": shop.file("sealing.json"), "APPLE_ROOT": shop.file("root.cert.pem"),
            "KAFKA_BOOTSTRAP_SERVERS": brokers, "KAFKA_PARTITIONS": "4", "PAYMENTS_ACKNOWLEDGEMENT": "1s",
            "LOG_LEVEL": "debug",
        ]
        environment.merge(more) { _, new in new }
        process.environment = environment
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        self.process = Locked(process)
        let (reader, written, isOver) = (output.fileHandleForReading, written, isOver)
        let thread = Thread {
            while true {
                let data = reader.availableData
                if data.isEmpty { break }
                written.withLock { $0 += String(decoding: data, as: UTF8.self) }
            }
            isOver.withLock { $0 = true }
        }
        thread.start()
    }

    deinit { signal(SIGKILL) }

    /// Everything that the process wrote.
    var log: String { written.withLock { $0 } }

    /// What the kernel tells of the process in `/proc`.
    func kernelFile(_ name: String) throws -> String {
        let id = process.withLock { $0.processIdentifier }
        return try String(contentsOfFile: "/proc/\(id)/\(name)", encoding: .utf8)
    }

    func signal(_ number: Int32) {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, number) } }
    }

    /// The exit status, when the process has ended and all it wrote is read.
    func status() async throws -> Int32 {
        try await until { isOver.withLock { $0 } && process.withLock { !$0.isRunning } }
        return process.withLock { $0.terminationStatus }
    }

    /// The port that a server of the process listens on, by the end of its logger's name.
    func port(of server: String) async throws -> Int {
        let words = #/"logger":"token-ingest\.(\w+)","msg":"listening on [^ ]+ port (\d+)"/#
        var port: Int?
        try await until {
            port = log.matches(of: words).first { $0.output.1 == server }.flatMap { Int($0.output.2) }
            return port != nil
        }
        return port ?? 0
    }

    /// Waits for a condition, half a minute at most.
    func until(_ isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(30)
        while try await !isTrue() {
            guard ContinuousClock.now < end else { throw TookTooLong(log: log) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    struct TookTooLong: Error, CustomStringConvertible {
        let log: String
        var description: String { "waited too long; the process wrote:\n\(log.suffix(4_000))" }
    }
}
