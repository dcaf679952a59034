import Contracts
import Foundation
import KeyFiles
import LedgerFixtures
import OrchardCrypto
import OrchardJOSE
import OrchardServiceKit
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Ticket keys that change while order-ledger runs", .timeLimit(.minutes(4)))
final class TicketKeyRingTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "orchard-ring-\(UUID().uuidString)")
    private let first: P256PrivateKey
    private let second: P256PrivateKey

    init() throws {
        first = try P256PrivateKey.generate()
        second = try P256PrivateKey.generate()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try sign(with: first)
        try publish([first])
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    private func sign(with key: P256PrivateKey) throws {
        try key.pem.withBytes { try writePrivately($0, to: folder.appending(path: "key.pem")) }
    }

    private func publish(_ keys: [P256PrivateKey]) throws {
        let set = try JWKSet(keys.map { JWK(keyID: JWK.thumbprint(of: $0.publicKey), publicKey: $0.publicKey) })
        try Data(set.json()).write(to: folder.appending(path: "set.json"), options: .atomic)
    }

    private func ring() throws -> TicketKeyRing {
        let environment = ["TICKET_SIGNING_KEY": path("key.pem"), "TICKET_KEYS": path("set.json")]
        return try #require(
            try ConfigReader.read(ConfigSources(environment: environment)) { TicketKeyRing(reader: $0) }.0)
    }

    /// A ticket signed now.
    private func ticket(_ ring: TicketKeyRing) throws -> String {
        let time = Timestamp(seconds: 1_700_000_000)
        return try ring.keys.signer.sign(
            OrderTicket(
                order: Shop.order, merchant: Shop.otherMerchant, revision: 1,
                amount: Money(minorUnits: 1, currency: .cny), networks: [.visa], routes: [],
                linesDigest: [UInt8](repeating: 0, count: 32), partitions: 4, issuedAt: time,
                expiresAt: time + .seconds(600)))
    }

    private func verifies(_ ticket: String, _ key: P256PrivateKey) -> Bool {
        let keys = [JWK.thumbprint(of: key.publicKey): key.publicKey]
        return (try? TicketVerifier(keys: keys).verify(ticket, at: Timestamp(seconds: 1_700_000_001))) != nil
    }

    @Test func `The next key signs as soon as the set and then its file are there, and old tickets stay good`()
        async throws
    {
        let (ring, log) = (try ring(), LogRecorder())
        let old = try ticket(ring)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await ring.reloader(every: .milliseconds(1), readiness: Readiness(), logger: log.logger).run()
            }
            try publish([first, second])
            try sign(with: second)
            try await eventually { try verifies(ticket(ring), second) }
            group.cancelAll()
        }
        let (before, now) = (JWK.thumbprint(of: first.publicKey), JWK.thumbprint(of: second.publicKey))
        #expect(
            log.lines.filter { $0.level == .notice }.map(\.message) == [
                "\(path("set.json")): its keys have changed; new: \(now)",
                "tickets are signed with key \(now) from now on, no longer \(before)",
            ])
        let verifier = ring.keys.verifier
        for compact in [old, try ticket(ring)] {
            #expect(throws: Never.self) { try verifier.verify(compact, at: Timestamp(seconds: 1_700_000_001)) }
        }
    }

    @Test func `A key that the others do not know does not sign; neither does what is none`() throws {
        let ring = try ring()
        try sign(with: second)
        #expect(ring.reloadSigner()?.contains("add it first") == true)
        #expect(verifies(try ticket(ring), first))
        try "nonsense".write(toFile: path("key.pem"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path("key.pem"))
        #expect(ring.reloadSigner()?.contains("no private key") == true)
        #expect(verifies(try ticket(ring), first))
        try sign(with: first)
        #expect(ring.reloadSigner() == nil)
    }
}
