import OrchardCrypto
import OrchardJOSE
import OrchardJSON
import Testing

@testable import Contracts

@Suite("Commands that follow a charge")
struct FollowUpRequestedTests {
    private let signer: CommandSigner
    private let verifier: CommandVerifier
    private let key: P256PrivateKey

    init() throws {
        key = try P256PrivateKey.generate()
        signer = CommandSigner(keyID: "k", key: key)
        verifier = CommandVerifier(keys: ["k": key.publicKey])
    }

    @Test("are read from the topic as they were written, and verify", arguments: FollowUpKind.allCases)
    func roundTrip(kind: FollowUpKind) throws {
        let parts = kind == .void ? nil : Samples.offer().totals
        for request in [FollowUpSamples.requested(kind), FollowUpSamples.requested(kind, parts: parts)] {
            let command = Command.signed(try signer.sign(.followUp(request)))
            let read = try Command(type: command.type, value: command.json)
            #expect(read == command && read.type == "orchard.\(kind.rawValue).requested.v1")
            guard case .signed(let signed) = read else { return }
            #expect(try verifier.verify(signed) == .followUp(request))
        }
    }

    @Test("keep their time in whole seconds, as acquirers do")
    func seconds() {
        let request = FollowUpRequested(
            .void, command: Samples.command, order: Samples.order, merchant: Samples.merchant, payment: Samples.payment,
            amount: nil, requestedAt: Timestamp(microseconds: 1_999_999), partitions: 12)
        #expect(request.requestedAt == Timestamp(seconds: 1))
    }

    @Test(
        "with wrong claims are refused",
        arguments: [
            ("aud", .string("orchard")), ("type", .string("orchard.cancel.requested.v1")), ("amount", .null),
            ("amount", .object([JSONMember("currency", .string("CNY")), JSONMember("minorUnits", .integer(0))])),
            ("amount", .object([JSONMember("currency", .string("CNY")), JSONMember("minorUnits", .integer(-5))])),
            ("requestedAt", .string("2026-11-21T14:03:07.5Z")), ("paymentId", .string("x")), ("force", .bool(true)),
            ("partitions", .integer(0)),
        ] as [(String, JSONValue)])
    func claims(name: String, value: JSONValue) throws {
        let members = try #require(try JSONValue(parsing: FollowUpSamples.requested(.refund).json).members)
        let changed = JSONValue.object(
            (members.filter { $0.name != name } + [JSONMember(name, value)]).sorted { $0.name < $1.name })
        let jws = try JWS.sign(payload: changed.bytes, type: SignedCommand.type, keyID: "k", with: key)
        #expect(throws: JSONError.self) { try SignedCommand(parsing: Array("{\"jws\":\"\(jws)\"}".utf8)) }
    }
}
