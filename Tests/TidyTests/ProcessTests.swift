import TestSupport
import Testing

@Suite("Child processes", .ownThreads)
struct ProcessTests {
    /// Foundation's `Process` learns of an end through a socket that other children may inherit: its waits may never end.
    @Test("are started by SandboxProcesses and by nothing else")
    func start() {
        let other = #/\bProcess(?:\.run)?\(|\b(?:posix_spawnp?|popen)\(/#.wordBoundaryKind(.simple)
        for file in SourceFile.all where !file.path.hasPrefix("Tests/Sandbox/Processes/") {
            let found = file.code.firstMatch(of: other)
            #expect(found == nil, "\(file.path): \(found.map { String($0.output) } ?? "")")
        }
    }
}
