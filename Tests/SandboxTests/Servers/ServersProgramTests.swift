import Foundation
import SandboxBroker
import SandboxProcesses
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(4))) struct ServersProgramTests {
    @Test func `the command does not survive a SIGKILL of the program that started it`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "servers-\(UInt32.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let note = folder.appending(path: "pid")
        let servers = try ChildProcess(
            ChildCommand(
                SandboxExecutable.find().path,
                [
                    "servers", "--run", folder.appending(path: "run").path, "--", "sh", "-c",
                    "echo $$ > '\(note.path)'; exec sleep 3600",
                ]))
        var command: Int32?
        try await eventually {
            try #require(servers.status == nil)
            let text = (try? String(contentsOf: note, encoding: .utf8)) ?? ""
            if text.hasSuffix("\n") { command = Int32(text.dropLast()) }
            return command != nil
        }
        let child = try #require(command)
        servers.signal(SIGKILL)
        try await eventually { kill(child, 0) != 0 || isZombie(child) }
    }

    private func isZombie(_ process: Int32) -> Bool {
        let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return stat.contains(") Z ")
    }
}
