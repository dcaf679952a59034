import Foundation

/// A program that was run to its end, with its output and error text.
public struct ProgramRun: Sendable {
    public let status: Int32
    public let output: String

    /// Waits on the calling thread, for two minutes at most: then the program is killed.
    public init(_ command: ChildCommand) throws {
        let child = try ChildProcess(Self.piped(command))
        guard let status = child.statusBlocking(within: .seconds(120)) else {
            child.signal(SIGKILL)
            throw ChildProcessError("\(command.program) ran for two minutes; it wrote:\n\(child.output.suffix(4_000))")
        }
        (self.status, output) = (status, child.output)
    }

    /// As ``init(_:)``, for the usual command.
    public init(
        _ program: String, _ arguments: [String], in directory: URL? = nil, environment: [String: String]? = nil
    ) throws {
        try self.init(ChildCommand(program, arguments, environment: environment, in: directory))
    }

    /// Waits without a thread. Cancellation kills the program.
    public static func outside(_ command: ChildCommand) async throws -> ProgramRun {
        let child = try ChildProcess(piped(command))
        let status = await child.ended()
        try Task.checkCancellation()
        return ProgramRun(status: status, output: child.output)
    }

    /// As ``outside(_:)``, for the usual command.
    public static func outside(
        _ program: String, _ arguments: [String], input: URL? = nil, in directory: URL? = nil,
        environment: [String: String]? = nil
    ) async throws -> ProgramRun {
        try await outside(
            ChildCommand(
                program, arguments, environment: environment, in: directory, input: input.map { .file($0) } ?? .null))
    }

    private init(status: Int32, output: String) { (self.status, self.output) = (status, output) }

    private static func piped(_ command: ChildCommand) -> ChildCommand {
        var command = command
        (command.output, command.errors) = (.pipe, .pipe)
        return command
    }
}
