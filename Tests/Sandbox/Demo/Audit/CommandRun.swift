import Foundation

/// The result of one of our commands.
struct CommandRun: Sendable {
    let status: Int32
    let output: String

    /// Runs a program and collects what it prints.
    ///
    /// - Parameter environment: added to this process's.
    static func run(_ program: URL, _ arguments: [String], environment: [String: String]) async throws -> CommandRun {
        try await withCheckedThrowingContinuation { continuation in
            // Waiting blocks, so it needs its own thread.
            Thread.detachNewThread {
                let process = Process()
                process.executableURL = program
                process.arguments = arguments
                process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
                process.standardInput = FileHandle.nullDevice
                let pipe = Pipe()
                process.standardOutput = pipe
                process.standardError = pipe
                do { try process.run() } catch { return continuation.resume(throwing: error) }
                let output = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
                process.waitUntilExit()
                continuation.resume(
                    returning: CommandRun(
                        status: process.terminationStatus, output: String(decoding: output, as: UTF8.self)))
            }
        }
    }
}
