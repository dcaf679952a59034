import Charging
import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardPostgres
import Testing

@testable import ChargeGateway

@Suite("Commands that cannot be taken")
struct DeadLetterTests {
    // Failure scenarios 44, 51.
    @Test("go to the dead letters with reason and place, never with content; the partition goes on", arguments: Bad.all)
    func deadLetter(bad: Bad) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let good = Shop.order()
            let record = try bad.make(gateway.shop, order)
            try await gateway.commands.process(
                [record, KafkaRecord(.charge(try gateway.shop.charge(good)), at: 8)], of: 0, from: 0)
            #expect(try await gateway.story(of: good) == ["accepted"])
            #expect(try await gateway.story(of: order) == bad.story)
            let letters = try await gateway.owner.query(
                "SELECT headers, convert_from(value, 'UTF8') AS value FROM gateway.outbox WHERE topic = $1",
                [Topic.charges.deadLetters.name])
            #expect(letters.count == 1)
            let letter = try #require(letters.first)
            let headers = try letter.string("headers")
            #expect(headers.contains("deadletter_reason: \(bad.reason)"), "\(headers)")
            #expect(headers.contains("deadletter_topic: \(Topic.charges.name)"))
            #expect(headers.contains("deadletter_offset: 7"))
            let text = try headers + letter.string("value")
            #expect(!text.contains("eyJ") && !text.contains(Shop.cardNumber), "no ticket, no card data")
        }
    }

    @Test(
        "of a newer version are not skipped: those before it are taken, and the partition waits",
        arguments: ["/token-ingest", "/order-ledger"])
    func newer(source: String) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let orders = [Shop.order(), Shop.order(), Shop.order()]
            let records = try orders.enumerated().map {
                KafkaRecord(.charge(try gateway.shop.charge($1)), at: Int64($0))
            }
            let newer = [records[0], Bad.unknown(records[1], from: source), records[2]]
            for _ in 1...2 {
                let wait = await #expect(throws: CommandWait.self) { try await gateway.commands.process(newer, of: 0) }
                #expect(wait?.isTransient == false)
                #expect(wait?.description.contains("waits for a newer charge-gateway") == true)
            }
            #expect(try await gateway.story(of: orders[0]) == ["accepted"])
            #expect(try await gateway.story(of: orders[2]).isEmpty)
            #expect(try await gateway.count("gateway.outbox WHERE topic = '\(Topic.charges.deadLetters.name)'") == 0)
        }
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        var story: [String] = []
        let make: @Sendable (Shop, OrderID) throws -> KafkaRecord

        static func unknown(_ record: KafkaRecord, from source: String) -> KafkaRecord {
            let changes = ["ce_type": "orchard.refund.repeated.v1", "ce_source": source]
            var record = record
            record.headers = record.headers.map { header in
                changes[header.name].map { KafkaHeader(header.name, $0) } ?? header
            }
            return record
        }

        static let all = [
            Bad(testDescription: "no event", reason: "missingHeader") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.headers = []
                return record
            },
            Bad(testDescription: "no JSON", reason: "") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.value = Array("{\"card\": \(Shop.cardNumber)".utf8)
                return record
            },
            Bad(
                testDescription: "an unknown type of nobody's",
                reason: "no command has the type orchard.refund.repeated.v1"
            ) { shop, order in
                unknown(KafkaRecord(.charge(try shop.charge(order)), at: 7), from: "/elsewhere")
            },
            Bad(testDescription: "U+0000 in a member's name", reason: "") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.value = Array(#"{"x\u0000y":01}"#.utf8)
                return record
            },
            Bad(testDescription: "every byte, everywhere", reason: "") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                (record.key, record.value) = (Array(0...255), Array(0...255))
                record.headers.insert(KafkaHeader("a\u{0}\n", Array(0...255)), at: 0)
                return record
            },
            Bad(testDescription: "U+0000 in the subject", reason: "malformedHeader") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.headers = record.headers.map { $0.name == "ce_subject" ? KafkaHeader($0.name, "\u{0}") : $0 }
                return record
            },
            Bad(testDescription: "a million brackets", reason: "") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.value = Array(repeating: UInt8(ascii: "["), count: 1_000_000)
                return record
            },
            Bad(testDescription: "a forged ticket", reason: "the ticket's signature is wrong") { shop, order in
                let ticket = try shop.ticket(order, key: try P256PrivateKey.generate())
                return KafkaRecord(.charge(try shop.charge(order, ticket: ticket)), at: 7)
            },
            Bad(testDescription: "another order's ticket", reason: "the ticket is of another order") { shop, order in
                KafkaRecord(.charge(try shop.charge(order, ticket: try shop.ticket(Shop.order()))), at: 7)
            },
            Bad(testDescription: "another partition's order", reason: "the order belongs to partition 2") { shop, _ in
                KafkaRecord(.charge(try shop.charge(Shop.order(in: 2))), at: 7)
            },
            // Whoever took over token-ingest may write to the topic, and holds no key of order-ledger.
            Bad(testDescription: "an unsigned cancel", reason: "jws") { shop, order in
                var record = KafkaRecord(.signed(try shop.cancel(order)), at: 7)
                record.value = try shop.cancel(order).claims.json
                return record
            },
            Bad(testDescription: "a forged cancel", reason: "the command's signature is wrong") { shop, order in
                KafkaRecord(.signed(try shop.cancel(order, key: try P256PrivateKey.generate())), at: 7)
            },
            Bad(testDescription: "a cancel of a key of nobody, old", reason: "the command's key is not") {
                shop, order in
                var record = KafkaRecord(.signed(try shop.cancel(order, keyID: "unknown")), at: 7)
                record.timestamp -= 17 * 60_000
                return record
            },
            Bad(testDescription: "a cancel among other partitions", reason: "the order belongs to partition") {
                shop, _ in
                KafkaRecord(.signed(try shop.cancel(Shop.order(in: 2))), at: 7)
            },
            Bad(testDescription: "a charge's ticket as a cancel", reason: "type: the member is required") {
                shop, order in
                var record = KafkaRecord(.signed(try shop.cancel(order)), at: 7)
                record.value = Array("{\"jws\":\"\(try shop.ticket(order))\"}".utf8)
                return record
            },
            Bad(testDescription: "another subject", reason: "ce_subject names another order") { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                record.headers = record.headers.map {
                    $0.name == "ce_subject" ? KafkaHeader("ce_subject", Shop.order().description) : $0
                }
                return record
            },
            Bad(testDescription: "written in the future", reason: "the ticket's key is not") { shop, order in
                let ticket = try shop.ticket(order, keyID: "unknown")
                var record = KafkaRecord(.charge(try shop.charge(order, ticket: ticket)), at: 7)
                record.timestamp += 2 * 60_000
                return record
            },
            // Whose it is can be read: its device must not wait for ever.
            Bad(testDescription: "no card", reason: "card", story: ["declined: unreadable"]) { shop, order in
                var record = KafkaRecord(.charge(try shop.charge(order)), at: 7)
                let command = try shop.charge(order)
                record.value = Array(
                    """
                    {"card":7,"orderId":"\(order)","paymentId":"\(command.payment)","ticket":"\(command.ticket)"}
                    """.utf8)
                return record
            },
            Bad(testDescription: "no JWE", reason: "sealedCard", story: ["declined: unreadable"]) { shop, order in
                KafkaRecord(.charge(try shop.charge(order, sealedCard: "a\0b")), at: 7)
            },
        ]
    }
}
