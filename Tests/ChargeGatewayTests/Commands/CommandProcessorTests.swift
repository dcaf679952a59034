import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Commands", .timeLimit(.minutes(10)))
struct CommandProcessorTests {
    @Test("to charge create an operation and its fact in the watermark's transaction")
    func charge() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command)])
            let facts = try await gateway.facts(of: order)
            guard case .payment(let fact) = facts.first else { throw CancellationError() }
            #expect(facts.count == 1 && fact.event.name == "accepted" && fact.transition == 1)
            #expect(fact.amount == Money(minorUnits: 12_345, currency: .cny) && fact.revision == 3)
            guard case .accepted(command.card, let route, let reference) = fact.event else { throw CancellationError() }
            #expect(route.id == "unionpay-1")
            #expect(reference.account == Shop.account && reference.orderNumber == command.payment.description)
            #expect(fact.merchant == Shop.merchant && fact.operation == command.operation)
            #expect(try await gateway.column("order_number", of: order) == command.payment.description)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 1 AND count = 1") == 1)
        }
    }

    // Failure scenario 1.
    @Test("that come again by the same offset or another one change nothing")
    func again() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            // The same payment sealed again has other bytes: it is the same payment all the same.
            let resealed = try gateway.shop.charge(order, payment: command.payment)
            #expect(command.sealedCard != resealed.sealedCard)
            try await gateway.take([.charge(command)])
            try await gateway.take([.charge(command)])
            try await gateway.take([.charge(command), .charge(resealed), .charge(command)], from: 1)
            #expect(try await gateway.story(of: order) == ["accepted"])
            #expect(try await gateway.count("gateway.operations") == 1)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 4 AND count = 4") == 1)
        }
    }

    // Failure scenario 2.
    @Test("of one order a hundred times over, in two instances at once, are one payment")
    func crowd() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            let records = (0..<100).map { KafkaRecord(.charge(command), at: $0) }
            // An old owner that does not know that it is none any more, and its successor.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (start, instance) in [gateway.commands, gateway.otherInstance].enumerated() {
                    group.addTask {
                        for first in stride(from: start * 7, to: 100, by: 10) {
                            try await instance.process(
                                Array(records[(start == 0 ? first : 0)..<min(first + 10, 100)]), of: 0)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await gateway.wait(for: "succeeded", of: order)
            #expect(acquirer.book.count == 1 && acquirer.received.count == 1)
            #expect(try await gateway.turns(of: order) == ["accepted", "succeeded"])
        }
    }

    // Failure scenario 5.
    @Test(
        "that come again after the answer to their send was stored change nothing",
        arguments: [
            (.accept, "succeeded"), (.decline(.frozenCard), "declined: frozenCard"), (.loseAnswer, "succeeded"),
        ] as [(ScriptedAcquirer.Send, String)])
    func afterTheAnswer(send: ScriptedAcquirer.Send, end: String) async throws {
        let acquirer = ScriptedAcquirer([send])
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let command = Contracts.Command.charge(try gateway.shop.charge(order))
            try await gateway.take([command])
            try await gateway.wait(for: end, of: order)
            let (story, queries) = (try await gateway.story(of: order), acquirer.queries)
            // Kafka does not know that it was taken, or a producer has written it once more.
            try await gateway.take([command])
            try await gateway.take([command, command], from: 1)
            try await gateway.otherInstance.process([KafkaRecord(command, at: 3)], of: 0)
            #expect(try await gateway.story(of: order) == story)
            #expect(try await gateway.count("gateway.orders WHERE due_at IS NOT NULL") == 0, "nothing will be done")
            #expect(acquirer.received.count == 1 && acquirer.queries == queries)
        }
    }

    // Failure scenarios 27, 28.
    @Test("for a second token while the first may still pay are refused; after a decline they are taken")
    func secondToken() async throws {
        let acquirer = ScriptedAcquirer([.decline(.insufficientFunds)])
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order)), .charge(try gateway.shop.charge(order))])
            try await gateway.wait(for: "declined: insufficientFunds", of: order)
            #expect(try await gateway.story(of: order).contains("refused: orderBusy"))
            try await gateway.take([.charge(try gateway.shop.charge(order))], from: 2)
            try await gateway.wait(for: "succeeded", of: order)
            try await gateway.take([.charge(try gateway.shop.charge(order))], from: 3)
            try await gateway.wait(for: "refused: orderPaid", of: order)
            #expect(acquirer.book.values.filter(\.isPaid).count == 1)
        }
    }

    // Failure scenario 35.
    @Test("to cancel close a free order, and are refused while a charge is under way")
    func cancel() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (free, busy) = (Shop.order(), Shop.order())
            let cancel = Contracts.Command.signed(try gateway.shop.cancel(busy))
            try await gateway.take([
                .signed(try gateway.shop.cancel(free)), .charge(try gateway.shop.charge(free)),
                .charge(try gateway.shop.charge(busy)), cancel,
            ])
            #expect(try await gateway.story(of: free) == ["closed: cancelled", "refused: orderClosed"])
            #expect(try await gateway.story(of: busy) == ["accepted", "rejected: chargeInProgress"])
            try await gateway.take([cancel], from: 4)
            #expect(try await gateway.story(of: busy).count == 2, "each command has one answer")
        }
    }

    @Test("to expire close a free order, and are remembered for one whose charge is in progress")
    func expire() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (free, busy) = (Shop.order(), Shop.order())
            try await gateway.take([
                .signed(try gateway.shop.cancel(free, .expired)), .charge(try gateway.shop.charge(busy)),
                .signed(try gateway.shop.cancel(busy, .expired)),
            ])
            #expect(try await gateway.story(of: free) == ["closed: expired"])
            #expect(try await gateway.story(of: busy) == ["accepted"])
            let row = try await gateway.owner.query(
                "SELECT expiry_command, closed_reason FROM gateway.orders WHERE order_id = $1", [busy])[0]
            #expect(try row.optionalUUID("expiry_command") != nil)
            #expect(try row.optionalString("closed_reason") == nil)
        }
    }

    // Failure scenario 52.
    @Test("that waited past their ticket, or have no route, are declined and never sent")
    func declined() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let (late, yen) = (Shop.order(), Shop.order())
            let old = try gateway.shop.ticket(late, issued: .now - .seconds(700), lifetime: .seconds(600))
            try await gateway.take([
                .charge(try gateway.shop.charge(late, ticket: old)),
                .charge(try gateway.shop.charge(yen, currency: try #require(Currency("JPY")))),
            ])
            #expect(try await gateway.story(of: late) == ["declined: expired"])
            #expect(try await gateway.story(of: yen) == ["declined: noRoute"])
            #expect(try await gateway.count("gateway.operations WHERE sealed_card IS NOT NULL") == 0)
            try await Task.sleep(for: .milliseconds(100))
            #expect(acquirer.received.isEmpty)
        }
    }

    @Test("may hold text that a database cannot: neither trace nor key identifier stops the partition")
    func textOfNobody() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let (traced, keyed) = (Shop.order(), Shop.order())
            let key = try gateway.shop.charge(keyed, sealedTo: ("\0", gateway.shop.sealingKey.publicKey))
            for trace in ["\0", "\nce_id: 1", String(repeating: "0", count: 55)] {
                let record = KafkaRecord(
                    .charge(try gateway.shop.charge(traced)), at: Int64(trace.utf8.count), trace: trace)
                try await gateway.commands.process([record], of: 0, from: 0)
            }
            try await gateway.take([.charge(key)], from: 56)
            #expect(try await gateway.column("traceparent", of: traced) == nil)
            #expect(try await gateway.story(of: keyed) == ["accepted"])
        }
    }

    // Failure scenario 29.
    @Test("for a token that charges another order are refused, in the same batch and in a later one")
    func tokenReused() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let (first, second, third) = (Shop.order(), Shop.order(), Shop.order(in: 1))
            let payment = Shop.payment()
            try await gateway.take([
                .charge(try gateway.shop.charge(first, payment: payment)),
                .charge(try gateway.shop.charge(second, payment: payment)),
            ])
            try await gateway.take([.charge(try gateway.shop.charge(third, payment: payment))], in: 1)
            #expect(try await gateway.story(of: first) == ["accepted"])
            #expect(try await gateway.story(of: second) == ["refused: tokenReused"])
            #expect(try await gateway.story(of: third) == ["refused: tokenReused"])
            // What was refused is not charging anything: it stops nobody.
            try await gateway.owner.execute("UPDATE gateway.operations SET phase = 'refused'")
            let fourth = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(fourth, payment: payment))], from: 2)
            #expect(try await gateway.story(of: fourth) == ["accepted"])
        }
    }

    @Test("before one that waits for its ticket key are taken, those behind it wait with it")
    func waitInTheMiddle() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let orders = [Shop.order(), Shop.order(), Shop.order()]
            let ticket = try gateway.shop.ticket(orders[1], keyID: "new", key: try P256PrivateKey.generate())
            let commands: [Contracts.Command] = [
                .charge(try gateway.shop.charge(orders[0])),
                .charge(try gateway.shop.charge(orders[1], ticket: ticket)),
                .charge(try gateway.shop.charge(orders[2])),
            ]
            for _ in 1...2 { await #expect(throws: CommandWait.self) { try await gateway.take(commands) } }
            #expect(try await gateway.story(of: orders[0]) == ["accepted"])
            #expect(try await gateway.story(of: orders[2]).isEmpty)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 1 AND count = 1") == 1)
        }
    }

    // Failure scenario 32.
    @Test("with a ticket from the future wait until clocks agree: nothing promised is lost")
    func futureTicket() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let ticket = try gateway.shop.ticket(order, issued: .now + .seconds(65))
            let command = Contracts.Command.charge(try gateway.shop.charge(order, ticket: ticket))
            await #expect(throws: CommandWait.self) { try await gateway.take([command]) }
            try await eventually {
                do { try await gateway.take([command]) } catch is CommandWait {}
                return try await !gateway.story(of: order).isEmpty
            }
            #expect(try await gateway.story(of: order) == ["accepted"])
        }
    }

    @Test("signed for a ticket key that is not here wait, and are taken when it comes")
    func unknownTicketKey() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let order = Shop.order()
            let key = try P256PrivateKey.generate()
            let ticket = try gateway.shop.ticket(order, keyID: "new", key: key)
            let command = Contracts.Command.charge(try gateway.shop.charge(order, ticket: ticket))
            await #expect(throws: CommandWait.self) { try await gateway.take([command]) }
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset > 0") == 0)
            try gateway.shop.publish(tickets: [JWK(keyID: "new", publicKey: key.publicKey)])
            try await gateway.take([command])
            #expect(try await gateway.story(of: order) == ["accepted"])
        }
    }
}

extension TestGateway {
    /// The commands of another process on the same database.
    fileprivate var otherInstance: CommandProcessor {
        CommandProcessor(
            transactions: OrderTransactions(
                pool: pool, store: OrderStore(policy: transactions.policy), outbox: transactions.outbox,
                telemetry: telemetry, timers: TimerQueue()),
            inbox: Inbox(schema: "gateway", topic: .charges, program: "charge-gateway"), ticketKeys: shop.ticketKeys,
            merchants: { [registry = shop.registry] in registry }, telemetry: telemetry, logger: logger)
    }
}
