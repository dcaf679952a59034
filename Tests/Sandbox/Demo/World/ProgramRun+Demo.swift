import Foundation
import SandboxProcesses

extension ProgramRun {
    /// Runs a program with some variables added to this process's environment.
    static func demo(
        _ program: URL, _ arguments: [String], environment: [String: String]
    ) async throws -> ProgramRun {
        try await outside(program.path, arguments, environment: ChildCommand.environment(adding: environment))
    }
}
