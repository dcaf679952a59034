import Contracts
import Foundation
import KeyFiles
import LedgerFixtures
import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import OrchardPostgres
import SandboxBroker
import SandboxProcesses
import TestSupport
import Testing

@testable import OrderLedger

/// A real broker and a real database for ledgers that are real processes.
struct LedgerDeployment: Sendable {
    let broker: BrokerProcess
    /// Superuser of the ledger's database.
    let owner: PostgresConnection
    let database: TestDatabase
    let folder: TemporaryFolder
    /// What contacts are sealed to.
    let contactKey: P256PrivateKey
    private let environment: [String: String]

    static let topics = [
        Topic.charges, .journal, .attempts, .contacts, .erasures, Topic.charges.deadLetters, Topic.journal.deadLetters,
    ].map { BrokerTopic(name: $0.name, partitions: Int(Shop.partitions)) }

    static func with(_ body: (LedgerDeployment) async throws -> Void) async throws {
        try await TestDatabase.with { database in
            let owner = try await PostgresConnection.connect(database.configuration)
            try await LedgerSchema.migrator.migrate(owner)
            try await owner.execute("CREATE ROLE \(database.name) LOGIN IN ROLE \(LedgerSchema.serviceRole)")
            let deployment = try LedgerDeployment(owner, database)
            try await body(deployment)
            try await owner.execute("DROP ROLE \(database.name)")
            await owner.close()
        }
    }

    private init(_ owner: PostgresConnection, _ database: TestDatabase) throws {
        self.owner = owner
        self.database = database
        broker = try BrokerProcess(topics: Self.topics)
        folder = try TemporaryFolder()
        let (files, key) = (folder.url, try P256PrivateKey.generate())
        try key.pem.withBytes { try writePrivately($0, to: files.appending(path: "key.pem")) }
        try writePrivately(
            try JWKSet([JWK(keyID: "k1", publicKey: key.publicKey)]).json(), to: files.appending(path: "keys.json"))
        contactKey = try P256PrivateKey.generate()
        try writePrivately(
            try JWKSet([JWK(keyID: "c1", privateKey: contactKey)]).json(),
            to: files.appending(path: "contact.json"))
        environment = [
            "POSTGRES_URL": database.configuration(as: database.name).connectionString,
            "KAFKA_BOOTSTRAP_SERVERS": broker.bootstrapServers, "KAFKA_PARTITIONS": "\(Shop.partitions)",
            "MERCHANTS": try folder.write("merchants.json", Shop.registryJSON),
            "TICKET_SIGNING_KEY": files.appending(path: "key.pem").path,
            "TICKET_KEYS": files.appending(path: "keys.json").path,
            "CONTACT_KEYS": files.appending(path: "contact.json").path,
        ]
    }

    /// Starts a ledger.
    func ledger(_ more: [String: String] = [:]) throws -> TestProcess {
        try TestProcess(
            "order-ledger", ["serve", "--http-port", "0", "--admin-port", "0"], environment.merging(more) { $1 })
    }

    /// Runs another command to its end.
    func run(_ arguments: [String], _ more: [String: String] = [:]) async throws -> (status: Int32, output: String) {
        let process = try TestProcess("order-ledger", arguments, environment.merging(more) { $1 })
        return (try await process.status(), process.log)
    }

    /// Sends a shop's request to a running ledger.
    func ask(
        _ ledger: TestProcess, _ path: String, method: String? = nil, bearer: String = Shop.apiKey, key: String? = nil,
        body: [UInt8]? = nil
    ) async throws -> (status: String, json: JSONValue) {
        let address = "http://127.0.0.1:\(try await ledger.port(of: "http"))\(path)"
        var text = ["--silent", "--write-out", "\n%{http_code}", "-H", "Authorization: Bearer \(bearer)"]
        if let method { text += ["--request", method] }
        if let key { text += ["-H", "Idempotency-Key: \(key)"] }
        if let body {
            text += ["-H", "Content-Type: application/json", "--data", String(decoding: body, as: UTF8.self)]
        }
        let output = try await ProgramRun.outside("curl", text + [address]).output
        let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
        let answer = Array(lines.dropLast().joined(separator: "\n").utf8)
        return (String(lines.last ?? ""), answer.isEmpty ? .null : try JSONValue(parsing: answer))
    }

    /// How many facts the books have.
    func facts(_ connection: PostgresConnection? = nil) async throws -> Int64 {
        try await (connection ?? owner).query("SELECT count(*) AS n FROM ledger.facts")[0].int64("n")
    }
}
