import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

@testable import Contracts

@Suite("Signed commands")
struct SignedCommandTests {
    private let key: P256PrivateKey
    private let signer: CommandSigner
    private let verifier: CommandVerifier

    init() throws {
        key = try P256PrivateKey.generate()
        signer = CommandSigner(keyID: "ledger-1", key: key)
        verifier = CommandVerifier(keys: ["ledger-1": key.publicKey])
    }

    @Test("are read from the topic as they were written, and verify")
    func roundTrip() throws {
        let read = try SignedCommand(parsing: try signer.sign(.close(Samples.cancel)).json)
        #expect(try verifier.verify(read) == .close(Samples.cancel))
        #expect(read.claims.partition == Partitioner.partition(of: Samples.order, among: 12))
    }

    @Test("of another key, or with an unknown one, are refused")
    func forged() throws {
        let stranger = try P256PrivateKey.generate()
        #expect(code(try CommandSigner(keyID: "ledger-1", key: stranger).sign(.close(Samples.cancel))) == .signature)
        #expect(code(try CommandSigner(keyID: "ledger-2", key: key).sign(.close(Samples.cancel))) == .unknownKey)
    }

    @Test("are not accepted as tickets, and tickets not as commands")
    func apart() throws {
        // The same key, with the header of the other purpose.
        let dressed = try JWS.sign(
            payload: Samples.cancel.json, type: TicketSigner.type, keyID: "ledger-1", with: key)
        #expect(code(SignedCommand(jws: dressed, claims: .close(Samples.cancel))) == .malformed)
        let ticket = try TicketSigner(keyID: "ledger-1", key: key).sign(Samples.ticket)
        #expect(throws: JSONError.self) { try SignedCommand(parsing: Array("{\"jws\":\"\(ticket)\"}".utf8)) }
        let tickets = TicketVerifier(keys: ["ledger-1": key.publicKey])
        let command = try signer.sign(.close(Samples.cancel)).jws
        #expect(throws: TicketError.self) { try tickets.verify(command, at: Samples.ticket.issuedAt) }
    }

    @Test(
        "with wrong claims are refused",
        arguments: [
            ("aud", .string("orchard")), ("iss", .string("token-ingest")),
            ("type", .string("orchard.charge.requested.v1")),
            ("partitions", .integer(0)), ("orderId", .string("x")), ("force", .bool(true)), ("commandId", .null),
        ] as [(String, JSONValue)])
    func claims(name: String, value: JSONValue) throws {
        let members = try #require(try JSONValue(parsing: Samples.cancel.json).members)
        let changed = JSONValue.object(members.filter { $0.name != name } + [JSONMember(name, value)])
        let jws = try JWS.sign(payload: changed.bytes, type: SignedCommand.type, keyID: "ledger-1", with: key)
        #expect(throws: JSONError.self) { try SignedCommand(parsing: Array("{\"jws\":\"\(jws)\"}".utf8)) }
    }

    @Test("that are malformed are refused", arguments: ["", "a", "a.b", "a.b.c.d", "a.e30.c", "..", "a.b.c"])
    func nonsense(text: String) {
        #expect(throws: JSONError.self) { try SignedCommand(parsing: Array("{\"jws\":\"\(text)\"}".utf8)) }
    }

    private func code(_ command: SignedCommand) -> TicketError.Code? {
        do throws(TicketError) {
            _ = try verifier.verify(command)
            return nil
        } catch {
            return error.code
        }
    }
}
