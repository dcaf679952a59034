import Foundation
import KeyFiles
import OrchardServiceKit
import Testing

@Suite("A file that is read again with the files that it names")
struct CheckedFileTests {
    private let folder: Folder
    private let reads = Locked(0)

    init() throws { folder = try Folder() }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: folder.path(name)), options: .atomic)
    }

    /// The main file names another one; both contents together are the snapshot.
    private func file() throws -> CheckedFile<String> {
        let (folder, reads) = (folder, reads)
        return try CheckedFile(path: folder.path("main")) { path throws(ConfigurationError) in
            reads.withLock { $0 += 1 }
            do {
                let name = try String(contentsOf: URL(filePath: path), encoding: .utf8)
                let other = try String(contentsOf: URL(filePath: folder.path(name)), encoding: .utf8)
                return .init("\(name)=\(other)", files: [path, folder.path(name)])
            } catch {
                throw ConfigurationError(problems: [.init(key: "main", reason: "cannot be read")])
            }
        }
    }

    @Test("is read again when it or a file that it names has changed, and only then")
    func changes() async throws {
        try write("main", "a")
        try write("a", "1")
        let file = try file()
        #expect(file.current == "a=1")
        for _ in 1...3 { #expect(await file.reload() == nil) }
        #expect(reads.withLock { $0 } == 1)
        #expect(file.nextChange() == nil)
        try write("a", "2")
        #expect(await file.reload() == nil)
        #expect(file.current == "a=2")
        #expect(file.nextChange() == "it was read again, with the files that it names")
        #expect(file.nextChange() == nil)
        try write("b", "3")
        try write("main", "b")
        #expect(await file.reload() == nil)
        #expect(file.current == "b=3" && reads.withLock { $0 } == 3)
    }

    @Test("a bad new one leaves the whole old one in force, is reported each time, and is checked until it is right")
    func refused() async throws {
        try write("main", "a")
        try write("a", "1")
        let file = try file()
        try write("main", "b")
        for _ in 1...2 {
            #expect(await file.reload()?.contains("main: cannot be read") == true)
            #expect(file.current == "a=1")
        }
        try write("b", "2")
        #expect(await file.reload() == nil)
        #expect(file.current == "b=2")
    }

    @Test("a snapshot that another rule refuses does not come into force until the rule allows it")
    func rule() async throws {
        struct InUse: Error, CustomStringConvertible { let description = "route r is in use" }
        try write("main", "a")
        try write("a", "1")
        let file = try file()
        let isInUse = Locked(true)
        file.require { snapshot in if snapshot == "a=2", isInUse.withLock({ $0 }) { throw InUse() } }
        try write("a", "2")
        #expect(await file.reload()?.contains("route r is in use") == true)
        #expect(file.current == "a=1")
        isInUse.withLock { $0 = false }
        #expect(await file.reload() == nil)
        #expect(file.current == "a=2")
    }

    @Test("a start with a bad one is refused")
    func start() throws {
        try write("main", "a")
        #expect(throws: ConfigurationError.self) { try self.file() }
    }
}
