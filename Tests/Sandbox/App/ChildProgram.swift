import Foundation
import OrchardServiceKit

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

    private enum Life {
        case beginning(askedToEnd: Int32?)
        case running(pid_t)
        case ended(Result<Int32, any Error>)
    }

    func run() async throws {
        let life = Locked(Life.beginning(askedToEnd: nil))
        await withTaskCancellationHandler {
            await withGracefulShutdownHandler {
                await runOnOwnThread(named: "child") { live(life) }
            } onGracefulShutdown: {
                Self.send(SIGTERM, to: life)
            }
        } onCancel: {
            Self.send(SIGKILL, to: life)
        }
        if case .ended(let result) = life.withLock({ $0 }) { throw Exit(code: try result.get()) }
    }

    private func live(_ life: Locked<Life>) {
        var pid: pid_t = 0
        let code = spawn(&pid)
        guard code == 0 else {
            return life.withLock { $0 = .ended(.failure(POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL))) }
        }
        life.withLock { life in
            if case .beginning(let signal?) = life { kill(pid, signal) }
            life = .running(pid)
        }
        // Foundation's Process would also wait for the child's children.
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        // As in a shell: the exit code, or 128 and the signal's number.
        let signal = status & 0x7f
        life.withLock { $0 = .ended(.success(signal == 0 ? status >> 8 & 0xff : 128 + signal)) }
    }

    private func spawn(_ pid: inout pid_t) -> Int32 {
        // The pool's threads block all signals, and a child inherits that.
        var attributes = posix_spawnattr_t()
        var none = sigset_t()
        posix_spawnattr_init(&attributes)
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // The child gets SIGTERM when the thread that starts it ends, so that it does not survive a SIGKILL of this
        // process.
        let command = ["setpriv", "--pdeathsig=TERM", "--"] + arguments
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer {
            (arguments + variables).forEach { free($0) }
            posix_spawnattr_destroy(&attributes)
        }
        return posix_spawnp(&pid, command[0], nil, &attributes, arguments, variables)
    }

    private static func send(_ signal: Int32, to life: Locked<Life>) {
        life.withLock { life in
            switch life {
            case .beginning: life = .beginning(askedToEnd: signal)
            case .running(let pid): kill(pid, signal)
            case .ended: return
            }
        }
    }
}
