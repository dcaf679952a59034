import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import Testing

@testable import OrderLedger

@Suite final class TicketKeyFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "orchard-tickets-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func add(_ key: String) throws -> String {
        try TicketKeyFiles(key: path(key), set: path("set.json")).add()
    }

    private func set() throws -> JWKSet {
        try JWKSet(json: Array(Data(contentsOf: folder.appending(path: "set.json"))))
    }

    /// The `kid` under which the other services know the key that `serve` signs with, when these are its files.
    private func signingKeyID(_ key: String) throws -> String? {
        let environment = ["TICKET_SIGNING_KEY": path(key), "TICKET_KEYS": path("set.json")]
        // Throws when the set lacks the public half.
        _ = try ConfigReader.read(ConfigSources(environment: environment)) { TicketKeyRing(reader: $0) }
        let publicKey = try P256PrivateKey(pem: KeyFile(path(key)).readPrivate()).publicKey
        return try set().keys.first { $0.publicKey == publicKey }?.keyID
    }

    @Test func `order-ledger signs with either key while one follows the other`() throws {
        let first = try add("first.pem")
        #expect(try signingKeyID("first.pem") == first)
        let second = try add("second.pem")
        #expect(try signingKeyID("first.pem") == first)
        #expect(try signingKeyID("second.pem") == second)
        let set = try set()
        #expect(set.keys.map(\.keyID) == [first, second])
        #expect(set.keys.allSatisfy { JWK.thumbprint(of: $0.publicKey) == $0.keyID && $0.privateKey == nil })
        let mode = try FileManager.default.attributesOfItem(atPath: path("first.pem"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `a key that exists stays, and so does the set`() throws {
        let first = try add("first.pem")
        let error = #expect(throws: KeyFileError.self) { try self.add("first.pem") }
        #expect(error?.code == .exists)
        #expect(try signingKeyID("first.pem") == first)
        let set = try set()
        #expect(set.keys.map(\.keyID) == [first])
    }

    @Test func `no key is left when the set cannot be written`() throws {
        // A file name has at most 255 bytes, and the name of the temporary file is longer.
        let files = TicketKeyFiles(key: path("first.pem"), set: path(String(repeating: "s", count: 250)))
        let error = #expect(throws: KeyFileError.self) { try files.add() }
        #expect(error?.code == .unwritable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        (["keys", "add", "--key", "a.pem"], "--set is missing"),
        (["keys", "add", "--key", "a", "--set", "./a"], "must be two files"),
    ])
    func `a wrong command line is published`(_ arguments: [String], _ expected: String) async throws {
        var published = ""
        let program = CommandLineProgram(version: "0", root: OrderLedgerProgram.root)
        #expect(await program.run(arguments, output: { _ in }, errors: { published += $0 }) == 2)
        #expect(published.contains(expected))
    }
}
