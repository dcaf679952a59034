import Contracts
import Foundation
import KeyFiles
import LedgerFixtures
import OrchardCrypto
import OrchardHTTPServer
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("The configuration of order-ledger")
struct LedgerConfigurationTests {
    /// The files of a configuration, in a folder of their own.
    private final class Files {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UInt64.random(in: 0 ... .max))")
        let key: P256PrivateKey

        init() throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            key = try P256PrivateKey.generate()
            try write("merchants.json", Shop.registryJSON)
            try key.pem.withBytes { try write("key.pem", $0) }
            try write("keys.json", try JWKSet([JWK(keyID: "k1", publicKey: key.publicKey)]).json())
            try write("contact.json", try JWKSet([JWK(keyID: "c1", privateKey: key)]).json())
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }
        func write(_ name: String, _ bytes: [UInt8]) throws {
            try writePrivately(bytes, to: folder.appending(path: name))
        }

        var environment: [String: String] {
            [
                "KAFKA_BOOTSTRAP_SERVERS": "localhost:9092", "POSTGRES_URL": "host=/nowhere",
                "MERCHANTS": folder.appending(path: "merchants.json").path,
                "TICKET_SIGNING_KEY": folder.appending(path: "key.pem").path,
                "TICKET_KEYS": folder.appending(path: "keys.json").path,
                "CONTACT_KEYS": folder.appending(path: "contact.json").path,
            ]
        }
    }

    private func read(_ environment: [String: String]) throws(ConfigurationError) -> LedgerConfiguration {
        try ConfigReader.read(ConfigSources(environment: environment)) { LedgerConfiguration(reader: $0) }.0
    }

    @Test("Complete settings are read; the signing key's name is that of its public half")
    func complete() throws {
        let files = try Files()
        let configuration = try read(files.environment)
        #expect(configuration.merchants?.current.registry.merchants.count == 2)
        #expect(configuration.ticketKeys != nil)
        #expect(configuration.ticketLifetime == .seconds(600))
        #expect(configuration.http.port == 8083)
        #expect(!configuration.acceptsLogStart)
        // As `StatementPlanTests` plans them.
        #expect(configuration.postgres.plansByKey)
    }

    @Test("A signing key that the other services do not know stops the start")
    func foreignKey() throws {
        let files = try Files()
        try files.write(
            "keys.json", try JWKSet([JWK(keyID: "k1", publicKey: P256PrivateKey.generate().publicKey)]).json())
        let error = #expect(throws: ConfigurationError.self) { try read(files.environment) }
        #expect(error?.problems.map(\.key) == ["ticket.keys"])
    }

    @Test("All problems are reported at once")
    func problems() throws {
        let files = try Files()
        try files.write("merchants.json", #"{"merchants": []}"#)
        var environment = files.environment
        environment["TICKET_LIFE"] = "16m"
        environment["POSTGRES_URL"] = nil
        environment["HTTP_PORT"] = "x"
        let error = #expect(throws: ConfigurationError.self) { try read(environment) }
        #expect(Set(error?.problems.map(\.key) ?? []) == ["merchants", "ticket.life", "postgres.url", "http.port"])
    }
}
