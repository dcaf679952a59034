import Foundation
import OrchardServiceKit
import SandboxProcesses

/// Another program in this terminal. A shutdown is passed on to it as SIGTERM; when it ends, the group ends.
struct ChildProgram: Service {
    /// The exit status. It is thrown, because a service that merely returns counts as a fault.
    struct Exit: Error {
        let code: Int32
    }

    private let arguments: [String]
    private let environment: [String: String]

    /// - Parameters:
    ///   - words: the program, searched in PATH, and its arguments.
    ///   - environment: what is added to this process' environment.
    init(_ arguments: [String], environment: [String: String]) {
        self.arguments = arguments
        self.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    }

    func run() async throws {
        // The child gets SIGTERM when the thread that starts it ends, so that it does not survive a SIGKILL of this
        // process.
        let child = try ChildProcess(
            ChildCommand(
                "setpriv", ["--pdeathsig=TERM", "--"] + arguments, environment: environment, input: .inherited,
                isInForeground: true))
        let status = await withGracefulShutdownHandler {
            await child.ended()
        } onGracefulShutdown: {
            child.signal(SIGTERM)
        }
        throw Exit(code: status)
    }
}
