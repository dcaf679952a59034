import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("A request whose intent is committed with the step that makes it due", .timeLimit(.minutes(10)))
struct ImmediateRequestsTests {
    /// A command's batch with slots, and nobody who takes the intents.
    private struct Taking {
        let gateway: TestGateway
        let requests: ImmediateRequests
        let processor: CommandProcessor

        init(_ gateway: TestGateway, slots: Int) {
            self.gateway = gateway
            requests = ImmediateRequests(
                limiter: RequestLimiter(RequestLimiter.Limits(acquirer: slots, account: slots)), timers: TimerQueue(),
                intents: gateway.requests.intents,
                queue: IntentQueue())
            processor = CommandProcessor(
                transactions: gateway.transactions, inbox: gateway.commands.inbox, ticketKeys: gateway.shop.ticketKeys,
                merchants: gateway.commands.merchants, requests: requests, telemetry: gateway.telemetry,
                logger: gateway.logger)
        }

        func take(_ commands: [ChargeRequested], from offset: Int64 = 0) async throws {
            try await processor.process(
                commands.enumerated().map { KafkaRecord(.charge($1), at: offset + Int64($0), in: 0) }, of: 0)
        }

        /// The orders whose request may be made, and the kinds whose only slot is taken.
        func handed() async -> (orders: [OrderID], slots: Int) {
            requests.queue.finish()
            var orders: [OrderID] = []
            for await intent in requests.queue.intents { orders.append(intent.due.order) }
            let taken = [NextStep.Kind.send, .query].count { step in
                !requests.limiter.acquire(
                    for: DueOrder(
                        order: Shop.order(), partition: 0, step: step, acquirer: "unionpay", account: Shop.account))
            }
            return (orders, taken)
        }
    }

    private static var paid: AcquirerAnswer {
        let reference = AcquirerReference(acquirer: "unionpay", account: "1", orderNumber: "2", time: .now)
        return AcquirerAnswer(.succeeded(remark: nil), result: AcquirerResult(reference: reference, code: "00"))
    }

    @Test("is none where others wait for a slot already: who comes new does not overtake them")
    func queued() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let taking = Taking(gateway, slots: 1)
            let first = DueOrder(
                order: Shop.order(), partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
            taking.requests.timers.found([DueTime(order: first, time: .now - .seconds(9))], at: .now)
            let command = try gateway.shop.charge(Shop.order())
            try await taking.take([command])
            #expect(await taking.handed() == ([], 0))
            #expect(try await gateway.column("sends", of: command.order) == "0")
        }
    }

    @Test("is a send that a command brings, as far as there are slots; the others are due")
    func send() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let taking = Taking(gateway, slots: 1)
            let commands = try (0..<2).map { _ in try gateway.shop.charge(Shop.order()) }
            try await taking.take(commands)
            #expect(await taking.handed() == ([commands[0].order], 1))
            var dues: [Double] = []
            for (command, sends) in zip(commands, ["1", "0"]) {
                #expect(try await gateway.column("sends", of: command.order) == sends)
                let due = try await gateway.column("extract(epoch FROM next_at)", of: command.order)
                dues.append(try #require(due.flatMap(Double.init)))
            }
            // The one that waits is due at once, the other when its answer is late. They are compared with each other:
            // a busy machine may come to this line later than both.
            #expect(dues[0] > dues[1])
        }
    }

    @Test("is not made when the transaction fails, and its slot is free again")
    func uncommitted() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let taking = Taking(gateway, slots: 1)
            try await gateway.owner.execute("ALTER TABLE gateway.operations ADD CHECK (sends = 0)")
            await #expect(throws: PostgresError.self) { try await taking.take([gateway.shop.charge(Shop.order())]) }
            #expect(await taking.handed() == ([], 0))
        }
    }

    @Test("is never that of another payment whose card data were not read: its timer reads them")
    func otherPayment() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let order = Shop.order()
            let commands = try (0..<2).map { _ in try gateway.shop.charge(order) }
            try await gateway.take([.charge(commands[0])])
            let taking = Taking(gateway, slots: 1)
            try await taking.take([commands[1]], from: 1)
            #expect(await taking.handed() == ([], 0))
            #expect(try await gateway.story(of: order) == ["accepted", "refused: orderBusy"])
            #expect(try await Self.kept(commands[0], in: gateway))
        }
    }

    @Test("is not made by a notification of an earlier payment either")
    func earlierPayment() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let order = Shop.order()
            let commands = try (0..<2).map { _ in try gateway.shop.charge(order) }
            let declined = AcquirerAnswer(.declined(.other), result: Self.paid.result)
            try await gateway.take([.charge(commands[0])])
            for input in [OperationInput.due(.ready), .sent(attempt: 1, .answered(declined))] {
                _ = try await gateway.transactions.step(order, in: 0) { order, time in
                    (order.receive(.operation(commands[0].operation, input), at: time), ())
                }
            }
            try await gateway.take([.charge(commands[1])], from: 1)
            let taking = Taking(gateway, slots: 1)
            try await taking.requests.step(
                order, in: 0, .operation(commands[0].operation, .notified(declined)), at: gateway.transactions)
            #expect(await taking.handed() == ([], 0))
            #expect(try await Self.kept(commands[1], in: gateway))
        }
    }

    /// Whether a charge waits for its send, with its card data.
    private static func kept(_ command: ChargeRequested, in gateway: TestGateway) async throws -> Bool {
        try await gateway.owner.query(
            "SELECT phase = 'created' AND holds_card AND sealed_card IS NOT NULL AS kept FROM gateway.operations "
                + "WHERE payment_id = $1", [command.payment])[0].bool("kept")
    }

    @Test("is the query of a notification", arguments: [true, false])
    func notification(isCommitted: Bool) async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let command = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(command)])
            _ = try await gateway.transactions.step(command.order, in: 0) { order, time in
                (order.receive(.operation(command.operation, .due(.ready)), at: time), ())
            }
            let taking = Taking(gateway, slots: 1)
            if !isCommitted {
                try await gateway.owner.execute("ALTER TABLE gateway.operations ADD CHECK (queries = 0)")
            }
            let input = OrderInput.operation(command.operation, .notified(Self.paid))
            do {
                try await taking.requests.step(command.order, in: 0, input, at: gateway.transactions)
                #expect(isCommitted)
            } catch let error as PostgresError {
                #expect(!isCommitted && error.sqlState == "23514")
            }
            #expect(await taking.handed() == (isCommitted ? [command.order] : [], isCommitted ? 1 : 0))
            #expect(try await gateway.column("queries", of: command.order) == (isCommitted ? "1" : "0"))
        }
    }
}
