import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

@testable import Contracts

@Suite("Tickets")
struct TicketTests {
    private let key: P256PrivateKey
    private let signer: TicketSigner
    private let verifier: TicketVerifier
    private let issued = Samples.ticket.issuedAt

    init() throws {
        key = try P256PrivateKey.generate()
        signer = TicketSigner(keyID: "ledger-1", key: key)
        verifier = TicketVerifier(keys: ["ledger-1": key.publicKey])
    }

    @Test("are read from their compact form as they were issued")
    func roundTrip() throws {
        let compact = try signer.sign(Samples.ticket)
        #expect(compact.utf8.count < TicketVerifier.maximumSize)
        #expect(try verifier.verify(compact, for: .charging, at: issued) == Samples.ticket)
    }

    @Test("charge until they expire and read the status for a day more")
    func expiry() throws {
        let compact = try signer.sign(Samples.ticket)
        let last = Samples.ticket.expiresAt - .microseconds(1)
        #expect(throws: Never.self) { try verifier.verify(compact, for: .charging, at: last) }
        #expect(code { try verifier.verify(compact, for: .charging, at: Samples.ticket.expiresAt) } == .expired)
        let day = Samples.ticket.expiresAt + .seconds(86_400)
        #expect(throws: Never.self) { try verifier.verify(compact, for: .status, at: day - .microseconds(1)) }
        #expect(code { try verifier.verify(compact, for: .status, at: day) } == .expired)
    }

    @Test("from the future by more than clocks may differ are refused")
    func future() throws {
        let compact = try signer.sign(Samples.ticket)
        #expect(throws: Never.self) { try verifier.verify(compact, for: .charging, at: issued - .seconds(60)) }
        #expect(code { try verifier.verify(compact, for: .charging, at: issued - .seconds(61)) } == .notYetValid)
    }

    @Test("of another key, with an unknown key or cut short are refused")
    func forged() throws {
        let compact = try signer.sign(Samples.ticket)
        let stranger = try P256PrivateKey.generate()
        let forged = try TicketSigner(keyID: "ledger-1", key: stranger).sign(Samples.ticket)
        #expect(code { try verifier.verify(forged, at: issued) } == .signature)
        let unknown = try TicketSigner(keyID: "ledger-2", key: key).sign(Samples.ticket)
        #expect(code { try verifier.verify(unknown, at: issued) } == .unknownKey)
        #expect(code { try verifier.verify(String(compact.dropLast(2)), at: issued) } != nil)
        #expect(code { try verifier.verify("", at: issued) } == .malformed)
    }

    @Test(
        "with wrong claims are refused",
        arguments: [
            ("exp", .integer(1_800_000_901)), ("exp", .integer(1_800_000_000)), ("exp", .integer(.max)),
            ("iss", .string("somebody")), ("aud", .string("somebody")), ("revision", .integer(0)),
            ("partitions", .integer(0)), ("networks", .array([.string("other")])), ("linesDigest", .string("00")),
            ("amount", .object(["currency": .string("CNY"), "minorUnits": .integer(-1)])), ("admin", .bool(true)),
            ("missingApplicationData", .string("yes")), ("captureMode", .string("later")),
            ("pendingTotal", .bool(true)), ("pendingTotal", .null), ("orderId", .null), ("routes", .null),
            ("routes", .array([.object(["id": .string("A b"), "digest": digest, "cards": .object([])])])),
            ("routes", .array([.object(["id": .string("a"), "digest": .string("00"), "cards": .object([])])])),
            ("routes", .array([route("a", "EMV", ["visa"]), route("b", "EMV", ["jcb", "visa"])])),
            ("routes", .array([route("a", "magnetic", ["visa"])])),
        ] as [(String, JSONValue)])
    func claims(name: String, value: JSONValue) throws {
        let members = try #require(try JSONValue(parsing: Samples.ticket.json).members)
        let changed = JSONValue.object(members.filter { $0.name != name } + [JSONMember(name, value)])
        let compact = try JWS.sign(payload: changed.bytes, type: TicketSigner.type, keyID: "ledger-1", with: key)
        #expect(code { try verifier.verify(compact, at: issued) } == .malformed)
    }

    private static let digest = JSONValue.string(String(repeating: "0", count: 32))

    private static func route(_ id: String, _ kind: String, _ networks: [String]) -> JSONValue {
        .object([
            "id": .string(id), "digest": digest,
            "cards": .object([JSONMember(kind, .array(networks.map { .string($0) }))]),
        ])
    }

    @Test("give each card its route, and no route to other cards")
    func routes() throws {
        let ticket = Samples.ticket
        #expect(ticket.route(for: Samples.card()) == Samples.route)
        for (network, kind) in [(CardNetwork.visa, PaymentDataType.emv), (.jcb, .threeDSecure)] {
            let card = try #require(CardSummary(network: network, lastFour: "0005", paymentData: kind))
            #expect(ticket.route(for: card) == nil)
        }
    }

    @Test("name the partition of their order")
    func partition() {
        #expect(Samples.ticket.partition == Partitioner.partition(of: Samples.order, among: 12))
    }

    private func code(_ body: () throws -> OrderTicket) -> TicketError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? TicketError)?.code
        }
    }
}
