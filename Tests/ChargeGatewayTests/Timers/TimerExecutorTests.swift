import Acquirers
import Charging
import Contracts
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Charges on their way", .timeLimit(.minutes(10)))
struct TimerExecutorTests {
    // Failure scenarios 7, 8.
    @Test(
        "end as the acquirer's book has them, whatever is lost",
        arguments: [
            ([.accept], 1, ["accepted", "succeeded"]),
            ([.decline(.frozenCard)], 1, ["accepted", "declined: frozenCard"]),
            ([.loseAnswer], 1, ["accepted", "succeeded"]),
            ([.loseRequest], 2, ["accepted", "succeeded"]),
            ([.refuseConnection, .refuseConnection], 3, ["accepted", "succeeded"]),
            ([.hang], 1, ["accepted", "succeeded"]),
            ([.refuseCard], 1, ["accepted", "declined: unsendable"]),
        ] as [([ScriptedAcquirer.Send], Int, [String])])
    func ends(script: [ScriptedAcquirer.Send], intents: Int, story: [String]) async throws {
        let acquirer = ScriptedAcquirer(script)
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            try await gateway.wait(for: try #require(story.last), of: order)
            #expect(try await gateway.turns(of: order) == story)
            #expect(try await gateway.column("sends", of: order) == "\(intents)")
            #expect(acquirer.book.count == (story.last == "declined: unsendable" ? 0 : 1))
            #expect(acquirer.book.values.allSatisfy { $0.isPaid == (story.last == "succeeded") })
            #expect(Set(acquirer.received).count == acquirer.book.count, "every send has the same key")
            #expect(try await gateway.column("sealed_card IS NULL", of: order) == "true")
            let transitions = try await gateway.facts(of: order).compactMap { fact in
                if case .payment(let payment) = fact { payment.transition } else { nil }
            }
            #expect(transitions == Array(1...Int64(transitions.count)))
        }
    }

    // Failure scenario 26.
    @Test("survive an acquirer whose queries fail for a while, and end all when it is back", arguments: [1, 12])
    func queriesFail(charges: Int) async throws {
        let failures = charges * 5
        let acquirer = ScriptedAcquirer(Array(repeating: .loseAnswer, count: charges), queryFailures: failures)
        try await TestGateway.with([acquirer]) { gateway in
            let orders = (0..<charges).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            for order in orders {
                try await gateway.wait(for: "succeeded", of: order)
                #expect(try await gateway.turns(of: order) == ["accepted", "succeeded"])
            }
            #expect(acquirer.queries == failures + charges && acquirer.received.count == charges)
        }
    }

    @Test("leave lines in the log, each in the trace of the command that they came with")
    func traces() async throws {
        let acquirer = ScriptedAcquirer([.loseAnswer], queryFailures: 1)
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let trace = TraceContext.random()
            let command = Contracts.Command.charge(try gateway.shop.charge(order))
            try await gateway.commands.process([KafkaRecord(command, at: 0, trace: trace.traceparent)], of: 0)
            func lines() -> [LogRecorder.Line] {
                gateway.log.lines.filter { $0.metadata["order_id"] == order.description }
            }
            // A line is written behind the commit.
            while !lines().contains(where: { $0.message == "payment succeeded" }) {
                try await Task.sleep(for: .milliseconds(5))
            }
            let all = lines()
            #expect(all.contains { $0.message.hasPrefix("a query failed") })
            #expect(all.contains { $0.message == "payment accepted" })
            #expect(all.allSatisfy { $0.metadata["trace_id"] == trace.traceID })
        }
    }

    @Test("go on without a trace that a damaged row holds")
    func damagedTrace() async throws {
        try await TestGateway.with([ScriptedAcquirer()], hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            try await gateway.owner.execute("UPDATE gateway.operations SET traceparent = E'a\\nb: c'")
            let timers = gateway.timers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await timers.run() }
                try await gateway.wait(for: "succeeded", of: order)
                group.cancelAll()
            }
        }
    }

    @Test("that go well are one line of the log at info, with their whole story")
    func oneLine() async throws {
        try await TestGateway.with([ScriptedAcquirer()]) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            try await gateway.wait(for: "succeeded", of: order)
            // The row is there before the line.
            try await eventually { gateway.log.lines.contains { $0.message == "payment succeeded" } }
            let lines = gateway.log.lines.filter { $0.level >= .info && $0.metadata["order_id"] == order.description }
            let story = try #require(lines.first?.metadata)
            #expect(lines.count == 1)
            #expect(story["amount"] == "123.45 CNY" && story["sends"] == "1" && story["reason"] == "00")
            let times = ["signed", "sent", "accepted", "asked", "ended"].compactMap { story[$0] }
            #expect(times.count == 5 && times == times.sorted())
        }
    }

    // Failure scenarios 3, 42.
    @Test("are asked about first after a crash between intent and send, then sent again under the same key")
    func crash() async throws {
        // The process of the first send dies with it: nothing arrives and nobody hears of it.
        let dead = ScriptedAcquirer([.hangUnbooked])
        let alive = ScriptedAcquirer()
        try await TestGateway.with([alive], policy: TestGateway.hastyPolicy, hasTimers: false) { gateway in
            let order = Shop.order()
            let command = try gateway.shop.charge(order)
            try await gateway.take([.charge(command)])
            let due = DueOrder(order: order, partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
            let doomed = TimerExecutor(
                transactions: gateway.transactions, intents: gateway.requests.intents,
                acquirers: AcquirerClient(AcquirerDirectory([dead]), telemetry: gateway.telemetry),
                breakers: gateway.breakers,
                logger: gateway.logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = await doomed.fire(due) {} }
                try await eventually { !dead.received.isEmpty }
                group.addTask { try await gateway.timers().run() }
                try await gateway.wait(for: "succeeded", of: order)
                group.cancelAll()
            }
            #expect(alive.queries >= 2)
            // A send that takes longer than 1.9 s here is repeated once more.
            #expect(dead.received.count == 1 && alive.received.count >= 1)
            #expect(Set(dead.received) == Set(alive.received), "the send was repeated under the same key")
            #expect(alive.book.count == 1)
            #expect(try await gateway.turns(of: order) == ["accepted", "succeeded"])
            #expect(try await gateway.column("sends >= 2", of: order) == "true")
        }
    }

    @Test("are sent once by two instances, and a woken zombie repeats only the same transaction")
    func twoInstances() async throws {
        let acquirer = ScriptedAcquirer(delay: .milliseconds(5))
        try await TestGateway.with([acquirer]) { gateway in
            let orders = (0..<40).map { _ in Shop.order() }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
                for order in orders { try await gateway.wait(for: "succeeded", of: order) }
                group.cancelAll()
            }
            #expect(acquirer.received.count == 40 && acquirer.book.count == 40)
        }
    }

    // Failure scenario 57.
    @Test("wait while their sealing key is not here, and go on when it comes")
    func keyUnknown() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let order = Shop.order()
            let key = try P256PrivateKey.generate()
            let command = try gateway.shop.charge(order, sealedTo: ("next", key.publicKey))
            try await gateway.take([.charge(command)])
            let needs = RequiredSealingKeys(pool: gateway.pool, sealingKeys: gateway.shop.sealingKeys)
            #expect(try await needs.problem()?.contains("a sealing key not in") == true)
            try await eventually { gateway.metrics.expose().contains("kind=\"sealingKeyUnknown\"") }
            #expect(try await gateway.story(of: order) == ["accepted"])
            try gateway.shop.publish(sealing: [
                JWK(keyID: "next", privateKey: key), JWK(keyID: "sealing", privateKey: gateway.shop.sealingKey),
            ])
            try await gateway.wait(for: "succeeded", of: order)
            #expect(try await needs.problem() == nil)
        }
    }

    // Failure scenario 57.
    @Test("are opened with the key that they were sealed to, although another one has followed it meanwhile")
    func keyFollowed() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let (waiting, late) = (Shop.order(), Shop.order())
            try await gateway.take([.charge(try gateway.shop.charge(waiting))])
            let next = try P256PrivateKey.generate()
            try gateway.shop.publish(sealing: [
                JWK(keyID: "sealing", privateKey: gateway.shop.sealingKey), JWK(keyID: "next", privateKey: next),
            ])
            // It was on the topic before the key changed.
            try await gateway.take([.charge(try gateway.shop.charge(late))], from: 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                for order in [waiting, late] { try await gateway.wait(for: "succeeded", of: order) }
                group.cancelAll()
            }
            #expect(acquirer.received.count == 2)
        }
    }

    // Failure scenario 57.
    @Test("are declined when the life of their sealing key is over, although the key is still here")
    func keyOver() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let (live, over) = (Shop.order(), Shop.order())
            let ends = Timestamp.now.seconds - 86_400
            try gateway.shop.publish(sealing: [
                JWK(keyID: "live", privateKey: gateway.shop.sealingKey, expires: ends + 60),
                JWK(keyID: "over", privateKey: gateway.shop.sealingKey, expires: ends),
            ])
            for (number, (id, order)) in [("live", live), ("over", over)].enumerated() {
                let command = try gateway.shop.charge(order, sealedTo: (id, gateway.shop.sealingKey.publicKey))
                try await gateway.take([.charge(command)], from: Int64(number))
                let due = DueOrder(order: order, partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
                _ = await gateway.executor.fire(due) {}
            }
            #expect(try await gateway.story(of: live) == ["accepted"])
            #expect(try await gateway.column("phase", of: live) == "pending")
            #expect(try await gateway.story(of: over) == ["accepted", "declined: unreadable"])
            #expect(gateway.metrics.expose().contains("kind=\"unreadableCard\"} 1"))
        }
    }

    // Failure scenario 42.
    @Test("are not sent by a process that stood still since the intent: others may have gone on")
    func stoodStill() async throws {
        let acquirer = ScriptedAcquirer()
        var policy = TestGateway.policy
        policy.sendInProgress = .zero
        try await TestGateway.with([acquirer], policy: policy, hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            let due = DueOrder(order: order, partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
            _ = await gateway.executor.fire(due) {}
            #expect(acquirer.received.isEmpty)
            #expect(try await gateway.story(of: order) == ["accepted"])
            #expect(try await gateway.column("unsent", of: order) == "1")
        }
    }

    @Test("keep an outcome that cannot be written, and write it as soon as it can", arguments: [true, false])
    func waitsForTheDatabase(isInTime: Bool) async throws {
        let answers = Gate()
        let acquirer = ScriptedAcquirer(answersBehind: answers)
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let order = Shop.order()
            try await gateway.take([.charge(try gateway.shop.charge(order))])
            let due = DueOrder(order: order, partition: 0, step: .send, acquirer: "unionpay", account: Shop.account)
            var executor = gateway.executor
            if !isInTime { executor.longestCommitWait = .milliseconds(500) }
            func refuse(_ reason: String) async throws {
                try await gateway.owner.execute(
                    "UPDATE gateway.inbox_watermarks SET refusal = \(reason) WHERE partition = 0")
            }
            try await withThrowingTaskGroup(of: Void.self) { [executor] group in
                group.addTask { _ = await executor.fire(due) {} }
                try await eventually { !acquirer.received.isEmpty }
                try await refuse("'restored'")
                answers.open()
                try await eventually {
                    gateway.log.lines.contains { $0.message.hasPrefix("an outcome waits") }
                }
                if !isInTime { try await group.waitForAll() }
                try await refuse("NULL")
                try await group.waitForAll()
            }
            #expect(try await gateway.column("phase", of: order) == (isInTime ? "pending" : "submitting"))
            #expect(gateway.log.lines.contains { $0.message.hasPrefix("an outcome was not written") } == !isInTime)
        }
    }

    @Test("are declined when their card data were sealed for another payment or ticket, or are none")
    func unreadableCard() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let orders = [Shop.order(), Shop.order(), Shop.order()]
            let other = try gateway.shop.charge(orders[0])
            let otherTicket = try gateway.shop.charge(
                orders[1], payment: Shop.payment(), ticket: try gateway.shop.ticket(orders[1], amount: 1))
            try await gateway.take([
                .charge(try gateway.shop.charge(orders[0], sealedCard: other.sealedCard)),
                .charge(
                    try gateway.shop.charge(
                        orders[1], payment: otherTicket.payment, sealedCard: otherTicket.sealedCard)),
                .charge(try gateway.shop.charge(orders[2], sealedCard: "not.a.jwe")),
            ])
            for order in orders { try await gateway.wait(for: "declined: unreadable", of: order) }
            #expect(acquirer.received.isEmpty)
        }
    }

    // Failure scenario 43.
    @Test("leave room for other merchants and for queries at a slow acquirer")
    func slots() async throws {
        let acquirer = ScriptedAcquirer(Array(repeating: .hang, count: 2))
        try await TestGateway.with([acquirer], limits: RequestLimiter.Limits(acquirer: 8, account: 2)) { gateway in
            let orders = (0..<6).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            // Both slots for sends are taken for ever; the queries have their own and find the money.
            try await eventually { acquirer.book.count >= 2 }
            for booking in acquirer.book.values { try await gateway.wait(for: "succeeded", of: booking.order) }
            #expect(acquirer.mostInside == 2)
            #expect(try await gateway.count("gateway.operations WHERE phase = 'created'") == 4)
        }
    }
}
