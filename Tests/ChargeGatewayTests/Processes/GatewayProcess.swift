import Foundation
import SandboxBroker
import ServiceKit

/// A real `charge-gateway` as a child process; killed when this goes.
final class GatewayProcess: Sendable {
    private let process: Locked<Process>
    private let written = Locked("")
    private let isOver = Locked(false)

    init(_ arguments: [String], _ environment: [String: String]) throws {
        let process = Process()
        process.executableURL = try SandboxExecutable.find(name: "charge-gateway")
        process.arguments = arguments
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

    deinit {
        signal(SIGCONT)
        signal(SIGKILL)
    }

    /// Everything that the process wrote.
    var log: String { written.withLock { $0 } }

    func signal(_ number: Int32) {
        process.withLock { if $0.isRunning { kill($0.processIdentifier, number) } }
    }

    /// The exit status, when the process has ended and all it wrote is read.
    func status() async throws -> Int32 {
        try await until { isOver.withLock { $0 } && process.withLock { !$0.isRunning } }
        return process.withLock { $0.terminationStatus }
    }

    /// Waits for a condition, two minutes at most: the machine may be busy with other things.
    func until(_ isTrue: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while try await !isTrue() {
            guard ContinuousClock.now < end else { throw TookTooLong(log: log) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    struct TookTooLong: Error, CustomStringConvertible {
        let log: String
        var description: String { "waited too long; the process wrote:\n\(log.suffix(4_000))" }
    }
}
