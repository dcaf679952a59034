import Foundation

/// A program that answers each line with a line. It ends with this process, because its input closes.
public final class LineProgram: Sendable {
    private let child: ChildProcess
    /// Waiting for an answer blocks, so it happens on a thread of its own, request after request.
    private let queue: DispatchQueue

    public init(_ program: String, _ arguments: [String]) throws(ChildProcessError) {
        child = try ChildProcess(ChildCommand(program, arguments, input: .pipe, output: .pipe))
        queue = DispatchQueue(label: program)
    }

    /// - Parameter line: without its end.
    /// - Throws: ``ChildProcessError`` when the program has ended or is silent for a minute.
    public func answer(to line: [UInt8]) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [child] in
                let answer = Result {
                    try child.writeBlocking(line + [UInt8(ascii: "\n")], within: .seconds(60))
                    return try child.lineBlocking(within: .seconds(60))
                }
                // A late answer would be taken for that to the next line.
                if case .failure = answer { child.signal(SIGKILL) }
                continuation.resume(with: answer)
            }
        }
    }
}
