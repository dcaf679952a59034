import OrchardCrypto
import OrchardJSON
import Testing

@testable import Contracts

@Suite("Facts and commands")
struct FactTests {
    @Test("are read from their JSON as they were written", arguments: Samples.facts)
    func roundTrip(fact: Fact) throws {
        #expect(try Fact(type: fact.type, value: fact.json) == fact)
    }

    @Test("commands are read from their JSON as they were written")
    func commands() throws {
        let cancel = try CommandSigner(keyID: "k", key: P256PrivateKey.generate()).sign(.close(Samples.cancel))
        for command in [Command.charge(Samples.charge()), .signed(cancel)] {
            #expect(try Command(type: command.type, value: command.json) == command)
        }
    }

    @Test("rejected attempts are read as they were written; stage and reason contain only letters")
    func attempts() throws {
        let rejected = Samples.rejected
        #expect(try PaymentRejected(parsing: rejected.json) == rejected)
        #expect(throws: JSONError.self) {
            try Fact(type: PaymentRejected.type, value: rejected.json)
        }
        let members = try #require(try JSONValue(parsing: rejected.json).members)
        for name in ["stage", "reason"] {
            for word in ["", "a\0b", "a b", "4111111111111111", "\n", String(repeating: "a", count: 65)] {
                let changed = JSONValue.object(
                    members.filter { $0.name != name } + [JSONMember(name, .string(word))])
                #expect(throws: JSONError.self) { try PaymentRejected(parsing: changed.bytes) }
            }
        }
    }

    @Test("have the same bytes as since version 1")
    func golden() {
        let fact = Samples.fact(.declined(.insufficientFunds, Samples.result))
        #expect(fact.type == "orchard.payment.declined.v1")
        #expect(
            String(decoding: fact.json, as: UTF8.self)
                == """
                {"amount":{"currency":"CNY","minorUnits":12345},"merchantId":"\(Samples.merchant)",\
                "operationId":"\(Samples.operation)","orderId":"\(Samples.order)","paymentId":"\(Samples.payment)",\
                "reason":"insufficientFunds","result":{"code":"00","reference":{"account":"777290058110048",\
                "acquirer":"unionpay","orderNumber":"\(Samples.payment)","time":"2027-01-15T08:00:00Z"},\
                "serial":"212345678901234567890","settlementDate":"1121"},"revision":2,"transition":3}
                """)
    }

    @Test("all have a known type")
    func types() {
        #expect(Set(Samples.facts.map(\.type)).isSubset(of: FactType.all.map(\.text)))
        for type in FactType.all.map(\.text) {
            #expect((try? Fact(type: type, value: Array("{}".utf8))) == nil)
            do throws(JSONError) { _ = try Fact(type: type, value: Array("{}".utf8)) } catch {
                #expect(error.code != .unknown, "\(type)")
            }
        }
    }

    @Test("may have members that this version does not know")
    func unknownMembers() throws {
        let fact = Samples.fact(.unknown(reason: "no answer"))
        let newer = Array("{\"aaa\":{\"b\":[1]},".utf8) + fact.json.dropFirst()
        #expect(try Fact(type: fact.type, value: newer) == fact)
    }

    @Test("without a member are refused with its name", arguments: Samples.facts)
    func missingMember(fact: Fact) throws {
        let members = try #require(try JSONValue(parsing: fact.json).members)
        var optional: Set = ["shippingMethod", "commandId", "sentAt"]
        if fact.type.hasSuffix(".declined.v1") || fact.type.hasSuffix(".failed.v1") { optional.insert("result") }
        if fact.type.hasPrefix("orchard.settlement.") || fact.type == "orchard.dispute.opened.v1" {
            optional.formUnion(["operationId", "paymentId"])
        }
        if case .followUp = fact { optional.insert("parts") }
        for member in members where !optional.contains(member.name) {
            let cut = JSONValue.object(members.filter { $0 != member })
            let error = #expect(throws: JSONError.self) { try Fact(type: fact.type, value: cut.bytes) }
            #expect(error?.path == member.name)
        }
    }

    @Test(
        "of unknown types are refused", arguments: ["orchard.payment.succeeded.v2", "orchard.payment.odd.v1", "x", ""])
    func unknownType(type: String) {
        #expect(throws: JSONError.self) { try Fact(type: type, value: Samples.facts.last?.json ?? []) }
    }

    @Test("have the same identifier for the same transition, and another one for any other")
    func names() {
        let facts = Samples.events.enumerated().map { Samples.fact($1, transition: Int64($0 + 1)) }
        #expect(Set(facts.map(\.id)).count == facts.count)
        #expect(Samples.fact(.unknown(reason: "a")).id == Samples.fact(.unknown(reason: "b")).id)
    }

    @Test("with totals that do not add up are refused")
    func totals() {
        let text = String(decoding: Fact.orderOpened(Samples.offer()).json, as: UTF8.self)
        let wrong = text.replacing("\"total\":12345", with: "\"total\":12346")
        #expect(wrong != text)
        let error = #expect(throws: JSONError.self) {
            try Fact(type: "orchard.order.opened.v1", value: Array(wrong.utf8))
        }
        #expect(error?.path == "totals")
    }
}
