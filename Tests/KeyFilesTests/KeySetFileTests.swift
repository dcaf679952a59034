import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import TestSupport
import Testing

@Suite("A key set that changes while the program runs")
struct KeySetFileTests {
    private let folder: Folder
    private let path: String

    init() throws {
        folder = try Folder()
        path = folder.path("set.json")
        try Self.write(["old"], to: path)
    }

    private static func write(_ ids: [String], to path: String) throws {
        let keys = try ids.map { JWK(keyID: $0, publicKey: try P256PrivateKey.generate().publicKey) }
        try Data(JWKSet(keys).json()).write(to: URL(filePath: path), options: .atomic)
    }

    @Test("a start without a key set is refused, and the error names the wrong setting", arguments: ["{", "[]"])
    func refusal(_ content: String) throws {
        let path = folder.path("broken.json")
        try Data(content.utf8).write(to: URL(filePath: path))
        for path in [path, folder.path("none.json")] {
            let error = #expect(throws: ConfigurationError.self) {
                _ = try KeySetFile(path: path, setting: "ticket.keys", for: .verifying)
            }
            #expect(error?.problems.map(\.key) == ["ticket.keys"])
            #expect(error?.problems.first?.reason.contains(path) == true)
        }
    }

    @Test("a set with private keys that others may read is refused, one with public keys is not")
    func exposed() throws {
        let keys = try JWKSet([JWK(keyID: "a", privateKey: P256PrivateKey.generate())]).json()
        try Data(keys).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        let error = #expect(throws: ConfigurationError.self) {
            _ = try KeySetFile(path: path, setting: "keys", for: .opening)
        }
        #expect(error?.problems.first?.reason.contains("chmod 600") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(try KeySetFile(path: path, setting: "keys", for: .opening).keys.keys.count == 1)
        try Self.write(["public"], to: path)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(try KeySetFile(path: path, setting: "keys", for: .verifying).keys.keys.count == 1)
    }

    @Test("a new file is applied; a broken one leaves the keys unchanged and is reported")
    func reload() throws {
        let file = try KeySetFile(path: path, setting: "keys", for: .verifying)
        try Data("{".utf8).write(to: URL(filePath: path))
        #expect(file.reload()?.contains("set.json") == true)
        #expect(file.keys.keys.map(\.keyID) == ["old"])
        try Self.write(["new"], to: path)
        #expect(file.reload() == nil)
        #expect(file.keys.keys.map(\.keyID) == ["new"])
    }

    @Test("a changed symbolic link is followed: orchestrators replace mounted secrets in this way")
    func link() throws {
        let link = folder.path("link.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let file = try KeySetFile(path: link, setting: "keys", for: .verifying)
        try Self.write(["new"], to: folder.path("next.json"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("link.new"), withDestinationPath: folder.path("next.json"))
        #expect(rename(folder.path("link.new"), link) == 0)
        #expect(file.reload() == nil)
        #expect(file.keys.keys.map(\.keyID) == ["new"])
    }

    @Test("the check runs at once and after each reading")
    func reloader() async throws {
        let file = try KeySetFile(path: path, setting: "keys", for: .verifying)
        let seen = Locked<[[String]]>([])
        let reloader = FileReloader([file], every: .milliseconds(1), logger: Logger(label: "test")) {
            seen.withLock { $0.append(file.keys.keys.map(\.keyID)) }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await reloader.run() }
            try await eventually { seen.withLock { !$0.isEmpty } }
            try Self.write(["new"], to: path)
            try await eventually { seen.withLock { $0.last } == ["new"] }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(seen.withLock { $0.first } == ["old"])
    }

    @Test(
        "each key is tried once when the file is read, and a wrong file is refused with a reason",
        arguments: [
            (.verifying, false, nil), (.sealing, false, nil), (.opening, true, nil),
            (.verifying, true, "holds private keys"), (.sealing, true, "holds private keys"),
            (.opening, false, "without its private half"),
        ] as [(KeySetUse, Bool, String?)])
    func use(_ use: KeySetUse, isPrivate: Bool, text: String?) throws {
        let pair = try P256PrivateKey.generate()
        let key = JWK(keyID: "k", privateKey: pair)
        let path = folder.path("use.json")
        try Data(JWKSet([isPrivate ? key : key.withoutPrivateKey]).json()).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        guard let text else {
            _ = try KeySetFile(path: path, setting: "keys", for: use)
            return
        }
        let error = #expect(throws: ConfigurationError.self) {
            try KeySetFile(path: path, setting: "keys", for: use)
        }
        #expect(error?.description.contains(text) == true, "\(String(describing: error))")
    }

    @Test("a ticket set without keys verifies nothing")
    func empty() throws {
        try Data(#"{"keys":[]}"#.utf8).write(to: URL(filePath: path))
        #expect(throws: ConfigurationError.self) { try KeySetFile(path: path, setting: "keys", for: .verifying) }
        _ = try KeySetFile(path: path, setting: "keys", for: .sealing)
    }

    @Test("a refused file is reported in /readyz, and the service stays ready with the last good one")
    func refused() async throws {
        let file = try KeySetFile(path: path, setting: "keys", for: .verifying)
        let readiness = Readiness()
        let reloader = FileReloader(
            [file], every: .milliseconds(1), readiness: readiness, logger: Logger(label: "test"))
        var component: ReadinessReport.Component? { readiness.report.components["files"] }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await reloader.run() }
            try Data("{".utf8).write(to: URL(filePath: path))
            try await eventually { component?.reason.hasPrefix("WARNING: refused") == true }
            #expect(component?.isReady == true && component?.reason.contains("set.json") == true)
            try Self.write(["new"], to: path)
            try await eventually { component?.reason.hasPrefix("all are in force") == true }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(file.keys.keys.map(\.keyID) == ["new"])
    }

    @Test("a change of keys writes one log line, with the added and removed keys", .timeLimit(.minutes(2)))
    func logged() async throws {
        let file = try KeySetFile(path: path, setting: "keys", for: .verifying)
        let log = LogRecorder()
        let looks = Locked(0)
        let reloader = FileReloader([file], every: .milliseconds(1), logger: log.logger) { looks.withLock { $0 += 1 } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await reloader.run() }
            try await eventually { looks.withLock { $0 } >= 3 }
            #expect(log.lines.isEmpty, "nothing has changed yet")
            try Self.write(["next", "other"], to: path)
            try await eventually { !log.lines.isEmpty }
            let end = looks.withLock { $0 } + 3
            try await eventually { looks.withLock { $0 } >= end }
            group.cancelAll()
            try await group.waitForAll()
        }
        #expect(log.lines.map(\.level) == [.notice])
        #expect(log.lines.first?.message == "\(path): its keys have changed; new: next, other; gone: old")
    }

    @Test("a key with new content under its old name is a change; the same file written again is not")
    func sameName() throws {
        let file = try KeySetFile(path: path, setting: "keys", for: .verifying)
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.write(to: URL(filePath: path), options: .atomic)
        #expect(file.reload() == nil)
        #expect(file.nextChange() == nil)
        try Self.write(["old"], to: path)
        #expect(file.reload() == nil)
        #expect(file.nextChange() == "its keys have changed; changed: old")
        #expect(file.nextChange() == nil)
    }
}
