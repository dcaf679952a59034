import Foundation
import SandboxProcesses

extension PrivateCluster {
    /// Freezes the server with all its sessions: connections are accepted and stay, nothing answers. Returns when all
    /// its processes have stopped: the signal alone does not guarantee that.
    public func freeze() {
        // The postmaster first: then no new session can appear.
        for process in [processID] + sessions {
            kill(process, SIGSTOP)
            for _ in 0..<1_000 where Self.stat(of: process).first != "T" { usleep(1_000) }
        }
    }

    /// Resumes the server.
    public func thaw() {
        for process in sessions { kill(process, SIGCONT) }
        server.signal(SIGCONT)
    }

    /// The server's child processes.
    private var sessions: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { Self.stat(of: $0).dropFirst().first == "\(processID)" }
    }

    /// The fields of /proc/PID/stat from the state on; the name before it may hold blanks and brackets.
    private static func stat(of process: Int32) -> [Substring] {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return [] }
        return text[end...].dropFirst().split(separator: " ")
    }
}
