import Foundation
import OrchardServiceKit
import SandboxProcesses
import Testing

@Suite(.timeLimit(.minutes(2))) struct ChildProcessTests {
    private static func shell(_ script: String) -> ChildCommand { ChildCommand("sh", ["-c", script], output: .pipe) }

    @Test func `each end is learned at once while children that were started at the same moment live on`() async throws
    {
        let living = Locked<[ChildProcess]>([])
        defer { for child in living.withLock({ $0 }) { child.signal(SIGKILL) } }
        let ended = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    await runOnOwnThread(named: "living") {
                        for _ in 0..<30 {
                            let child = try? ChildProcess(ChildCommand("sleep", ["3600"], input: .pipe, output: .pipe))
                            if let child { living.withLock { $0.append(child) } }
                        }
                    }
                }
                group.addTask {
                    await runOnOwnThread(named: "short") {
                        for number in 0..<30 {
                            guard let child = try? ChildProcess(Self.shell("echo \(number)")) else { continue }
                            let status = child.statusBlocking(within: .seconds(30))
                            if status == 0, child.output == "\(number)\n" { ended.withLock { $0 += 1 } }
                        }
                    }
                }
            }
        }
        #expect(ended.withLock { $0 } == 90)
        let children = living.withLock { $0 }
        #expect(children.count == 90 && children.allSatisfy { $0.status == nil })
    }

    @Test func `a child gets no other open file than its three streams`() async throws {
        // What Foundation and C libraries open without O_CLOEXEC.
        var pipe: [Int32] = [0, 0]
        try #require(Foundation.pipe(&pipe) == 0)
        let child = try ChildProcess(ChildCommand("sleep", ["3600"]))
        defer { child.signal(SIGKILL) }
        close(pipe[1])
        var polls = pollfd(fd: pipe[0], events: Int16(POLLIN), revents: 0)
        #expect(poll(&polls, 1, 30_000) == 1, "the pipe shows its end although the child lives")
        close(pipe[0])
        #expect(try await ProgramRun.outside(Self.shell("exec ls /proc/self/fd")).output == "0\n1\n2\n3\n")
    }

    @Test func `a child of the child that keeps the output open delays nothing`() async throws {
        let run = try await ProgramRun.outside(Self.shell("sleep 3600 & echo $!"))
        let left = try #require(pid_t(run.output.dropLast()))
        #expect(run.status == 0 && kill(left, SIGKILL) == 0)
    }

    @Test(arguments: [("exit 0", 0), ("exit 3", 3), ("kill -9 $$", 137), ("kill -TERM $$", 143)] as [(String, Int32)])
    func `the status is a shell's`(_ script: String, _ status: Int32) async throws {
        let child = try ChildProcess(Self.shell(script))
        #expect(await child.ended() == status && child.status == status)
        // Its number may be another process's by now.
        child.signal(SIGKILL)
        #expect(kill(child.processID, 0) == -1)
    }

    @Test func `much output is read to the last byte`() async throws {
        let run = try await ProgramRun.outside(Self.shell("head -c 3000000 /dev/zero | tr '\\0' x; echo end >&2"))
        #expect(run.output.utf8.count == 3_000_004 && run.output.hasSuffix("xend\n"))
    }

    @Test func `a child that a thread of the pool starts blocks no signal and ignores none`() async throws {
        let status = try await ProgramRun.outside(Self.shell("cat /proc/self/status")).output.split(separator: "\n")
        let masks = status.filter { $0.hasPrefix("SigBlk") || $0.hasPrefix("SigIgn") }
            .compactMap { UInt64($0.suffix(16), radix: 16) }
        // The C library keeps signals 32 and 33 to itself.
        #expect(masks.map { $0 & 0x7fff_ffff } == [0, 0], "\(status)")
    }

    @Test func `lines are taken one after another, and silence ends in an error`() async throws {
        let child = try ChildProcess(ChildCommand("cat", input: .pipe, output: .pipe))
        try child.writeBlocking(Array("a\nb\nwanted c\nd\n".utf8), within: .seconds(30))
        #expect(try child.lineBlocking(within: .seconds(30)) == "a")
        #expect(await child.line(containing: "wanted") == "wanted c")
        #expect(try child.lineBlocking(within: .seconds(30)) == "d")
        #expect(throws: ChildProcessError.self) { try child.lineBlocking(within: .milliseconds(10)) }
        child.closeInput()
        #expect(await child.ended() == 0)
        #expect(await child.line() == nil)
    }

    @Test func `writing to a child that has ended or reads nothing is an error, and no signal for this process`()
        async throws
    {
        let child = try ChildProcess(ChildCommand("true", input: .pipe))
        await child.ended()
        // A program that is just being started has a copy of the pipe's other end for a moment: until then this succeeds.
        let broken = #expect(throws: ChildProcessError.self) {
            while true { try child.writeBlocking([0], within: .seconds(30)) }
        }
        #expect(broken?.description == "writing to the child: Broken pipe")
        let idle = try ChildProcess(ChildCommand("sleep", ["3600"], input: .pipe))
        defer { idle.signal(SIGKILL) }
        let much = [UInt8](repeating: 0, count: 1_000_000)
        #expect(throws: ChildProcessError.self) { try idle.writeBlocking(much, within: .milliseconds(50)) }
    }

    @Test func `cancellation kills a program that is waited for`() async throws {
        let run = Task { try await ProgramRun.outside("sleep", ["3600"]) }
        run.cancel()
        await #expect(throws: CancellationError.self) { try await run.value }
    }

    @Test func `directory, environment and files are as given`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "child-\(UInt32.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("in ".utf8).write(to: file)
        let child = try ChildProcess(
            ChildCommand(
                "sh", ["-c", "cat - >&2; pwd; echo $A"], environment: ["A": "b"], in: URL(filePath: "/usr"),
                input: .file(file), output: .file(file), errors: .null))
        #expect(await child.ended() == 0)
        #expect(try String(contentsOf: file, encoding: .utf8) == "in /usr\nb\n")
    }

    @Test func `a program that is not there is named`() {
        #expect(throws: ChildProcessError.self) { try ChildProcess(ChildCommand("/no/such program")) }
        do { _ = try ChildProcess(ChildCommand("/no/such program")) } catch {
            #expect(error.description == "/no/such program does not start: No such file or directory")
        }
    }
}
