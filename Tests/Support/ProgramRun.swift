import Foundation
import OrchardServiceKit

/// A program that was run to its end, with its output and error text.
public struct ProgramRun: Sendable {
    public let status: Int32
    public let output: String

    /// Waits on the calling thread.
    ///
    /// - Parameter environment: replaces the environment of this process.
    public init(
        _ program: String, _ arguments: [String], input: URL? = nil, in directory: URL? = nil,
        environment: [String: String]? = nil
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        process.currentDirectoryURL = directory
        if let environment { process.environment = environment }
        process.standardInput = try input.map { try FileHandle(forReadingFrom: $0) } ?? FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// Waits on its own thread, so that other tests continue meanwhile.
    public static func outside(
        _ program: String, _ arguments: [String], input: URL? = nil, in directory: URL? = nil,
        environment: [String: String]? = nil
    ) async throws -> ProgramRun {
        let result = Locked<Result<ProgramRun, any Error>?>(nil)
        await runOnOwnThread(named: program) {
            let run = Result {
                try ProgramRun(program, arguments, input: input, in: directory, environment: environment)
            }
            result.withLock { $0 = run }
        }
        guard let run = result.withLock({ $0 }) else { throw CancellationError() }
        return try run.get()
    }
}
