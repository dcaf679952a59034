import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("Captures, voids and refunds on their way", .timeLimit(.minutes(10)))
struct FollowUpTests {
    /// A paid order, and what its commands end with.
    private static func with(
        _ script: [FollowUpAcquirer.Send] = [], _ mode: OrderTicket.CaptureMode = .sale,
        policy: ChargingPolicy = TestGateway.policy,
        _ body: @Sendable (TestGateway, FollowUpAcquirer, ChargeRequested) async throws -> Void
    ) async throws {
        let acquirer = FollowUpAcquirer(script)
        try await TestGateway.with([acquirer], policy: policy) { gateway in
            let order = Shop.order()
            let ticket = try gateway.shop.ticket(order, captureMode: mode)
            let charge = try gateway.shop.charge(order, ticket: ticket)
            try await gateway.take([.charge(charge)])
            try await gateway.wait(for: mode == .sale ? "succeeded" : "authorised", of: order)
            try await body(gateway, acquirer, charge)
        }
    }

    // Failure scenario 37.
    @Test(
        "end as the acquirer's book has them, whatever is lost, under one key",
        arguments: [
            ([.done], "refund succeeded"), ([.refuse], "refund failed: originalState"),
            ([.loseAnswer], "refund succeeded"), ([.loseRequest], "refund succeeded"),
            ([.refuseConnection, .refuseConnection], "refund succeeded"),
        ] as [([FollowUpAcquirer.Send], String)])
    func ends(script: [FollowUpAcquirer.Send], end: String) async throws {
        try await Self.with(script) { gateway, acquirer, charge in
            try await gateway.take([.signed(try gateway.shop.follow(.refund, charge, 5_000))], from: 1)
            try await gateway.wait(for: end, of: charge.order)
            #expect(try await gateway.turns(of: charge.order) == ["accepted", "succeeded", "refund accepted", end])
            #expect(acquirer.book.count == 1 && Set(acquirer.received.map(\.reference)).count == 1)
            #expect(acquirer.sum(.refund) == (end == "refund succeeded" ? 5_000 : 0))
            #expect(acquirer.received.first?.originalSerial == "serial of sale")
            let message = end.split(separator: ":").first.map(String.init)
            // Written after the commit.
            try await eventually { gateway.log.lines.contains { $0.message == message } }
            let lines = gateway.log.lines.filter { $0.message == message }
            #expect(lines.count == 1 && lines.first?.metadata["amount"] == "50.00 CNY")
        }
    }

    @Test(
        "a held amount is captured, the capture voided, captured again and given back in part; the rest with a void later"
    )
    func life() async throws {
        try await Self.with([], .authorise) { gateway, acquirer, charge in
            var offset: Int64 = 1
            for (kind, amount, end) in [
                (.refund, 1, "rejected: paymentNotCharged"), (.capture, 12_345, "capture succeeded"),
                (.void, nil, "void succeeded"), (.capture, 10_000, "capture succeeded"),
                (.refund, 4_000, "refund succeeded"), (.refund, 6_001, "rejected: amountAboveRefundable"),
                (.void, nil, "refund succeeded"), (.refund, 1, "rejected: nothingLeft"),
            ] as [(FollowUpKind, Int64?, String)] {
                let command = try gateway.shop.follow(kind, charge, amount)
                try await gateway.take([.signed(command)], from: offset)
                try await gateway.wait(for: end, of: charge.order)
                // A second copy of the command changes nothing.
                let story = try await gateway.story(of: charge.order)
                try await gateway.take([.signed(command)], from: offset + 1)
                #expect(try await gateway.story(of: charge.order) == story)
                offset += 2
            }
            #expect(acquirer.sum(.capture) == 22_345 && acquirer.sum(.refund) == 10_000)
            #expect(acquirer.received.filter { $0.kind == .void }.map(\.target) == [.capture])
        }
    }

    @Test("a void that fails is followed by the refund, for the same command")
    func failedVoid() async throws {
        try await Self.with([.refuse]) { gateway, acquirer, charge in
            try await gateway.take([.signed(try gateway.shop.follow(.void, charge))], from: 1)
            // At 23:00 in Beijing the day ends, and the command is a refund from the beginning.
            try await gateway.wait(for: "refund succeeded", of: charge.order)
            #expect(acquirer.sum(.refund) + acquirer.sum(.void) == 12_345)
            let causes = try await gateway.facts(of: charge.order).compactMap { fact in
                if case .followUp(let followUp) = fact { followUp.cause } else { nil }
            }
            #expect(Set(causes).count == 1)
        }
    }

    // Failure scenario 37.
    @Test("fifty refunds at once, each twice, give back no more than was taken")
    func concurrent() async throws {
        try await Self.with { gateway, acquirer, charge in
            for wave in 0..<4 {
                let commands = (0..<50).map { _ in
                    FollowUpRequested(
                        .refund, command: CommandID(time: .now, randomness: [UInt8].random), order: charge.order,
                        merchant: Shop.merchant, payment: charge.payment,
                        amount: Money(minorUnits: 4_000, currency: .cny), requestedAt: .now,
                        partitions: Shop.partitions)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for command in commands + commands {
                        group.addTask {
                            _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                                (
                                    order.receive(
                                        command, hasRoute: true, mayHaveBeenSent: false, traceparent: nil, at: time), ()
                                )
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                let done = Int64(min(wave + 1, 3)) * 4_000
                try await gateway.until { acquirer.sum(.refund) == done }
                try await gateway.until {
                    try await gateway.count("gateway.follow_ups WHERE phase = 'succeeded'") == done / 4_000
                }
            }
            #expect(acquirer.sum(.refund) == 12_000)
            let story = try await gateway.story(of: charge.order)
            #expect(story.filter { $0 == "refund accepted" }.count == 3)
            #expect(story.filter { $0.hasPrefix("rejected") }.count == 197)
        }
    }

    @Test("a process that dies between intent and send leaves one that is asked for, then sent under the same key")
    func killed() async throws {
        let acquirer = FollowUpAcquirer()
        try await TestGateway.with([acquirer], policy: TestGateway.hastyPolicy, hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await gateway.timers().run() }
                try await gateway.wait(for: "succeeded", of: charge.order)
                group.cancelAll()
            }
            try await gateway.take([.signed(try gateway.shop.follow(.refund, charge, 700))], from: 1)
            let intent = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                let id = order.machine.followUps[0].subject.operation
                return (order.receive(.operation(id, .due(.ready)), at: time), ())
            }
            #expect(intent?.actions.contains { if case .send = $0 { true } else { false } } == true)
            #expect(acquirer.received.isEmpty)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await gateway.timers().run() }
                try await gateway.wait(for: "refund succeeded", of: charge.order)
                group.cancelAll()
            }
            #expect(acquirer.received.count == 1 && acquirer.sum(.refund) == 700)
        }
    }

    @Test("a notification that names the key of one makes its query due")
    func notified() async throws {
        var policy = TestGateway.policy
        policy.querySchedule = [.seconds(100)]
        policy.queryInterval = .seconds(100)
        try await Self.with([.loseAnswer], policy: policy) { gateway, acquirer, charge in
            try await gateway.take([.signed(try gateway.shop.follow(.refund, charge, 5_000))], from: 1)
            try await gateway.until { !acquirer.book.isEmpty }
            let reference = try #require(acquirer.book.keys.first)
            let found = try await gateway.transactions.find(reference)
            #expect(found.map(\.subject.followUp?.amount.minorUnits) == [5_000])
            let subject = try #require(found.first?.subject)
            let original = try #require(subject.followUp?.original)
            let store = OrderStore(policy: gateway.transactions.policy)
            let both = try await gateway.transactions.read { try await store.find([original, reference], on: $0) }
            #expect(both.map { $0.map(\.subject.kind) } == [[.sale], [.refund]])
            let answer = AcquirerAnswer(
                .succeeded(remark: nil), result: AcquirerResult(reference: reference, code: "00"))
            try await gateway.requests.step(
                charge.order, in: 0, .operation(subject.operation, .notified(answer)), at: gateway.transactions)
            try await gateway.wait(for: "refund succeeded", of: charge.order)
        }
    }

    @Test("one that order-ledger did not sign has no effect")
    func forged() async throws {
        try await Self.with { gateway, acquirer, charge in
            let forged = try gateway.shop.follow(.refund, charge, 5_000, key: gateway.shop.sealingKey)
            try await gateway.take([.signed(forged)], from: 1)
            #expect(try await gateway.story(of: charge.order) == ["accepted", "succeeded"])
            #expect(acquirer.received.isEmpty)
        }
    }

    @Test("one whose route has left merchants.json is rejected")
    func noRoute() async throws {
        try await Self.with { gateway, acquirer, charge in
            let command = try gateway.shop.follow(.refund, charge, 5_000)
            guard case .followUp(let claims) = command.claims else { return }
            _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                (order.receive(claims, hasRoute: false, mayHaveBeenSent: false, traceparent: nil, at: time), ())
            }
            try await gateway.wait(for: "rejected: noRoute", of: charge.order)
        }
    }
}

extension [UInt8] {
    fileprivate static var random: [UInt8] { (0..<10).map { _ in UInt8.random(in: 0...255) } }
}

extension TestGateway {
    /// Waits until a condition holds.
    func until(_ holds: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            guard ContinuousClock.now < deadline else { throw CancellationError() }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
