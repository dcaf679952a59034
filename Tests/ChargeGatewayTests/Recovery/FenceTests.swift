import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox
import Testing

@testable import ChargeGateway

@Suite("A partition whose database may have lost commits", .timeLimit(.minutes(10)))
struct FenceTests {
    // Failure scenario 56.
    @Test(
        "is stepped by nothing: no command, no timer, no answer",
        arguments: [
            ("timeline = '00000007'", InboxError.Code.promoted), ("system_identifier = 7", .databaseChanged),
            ("objects = '7/8'", .databaseChanged), ("refusal = 'restored'", .refused),
        ])
    func standsStill(_ change: String, _ code: InboxError.Code) async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET \(change) WHERE partition = 0")
            await #expect { try await gateway.take([.charge(charge)], from: 1) } throws: {
                ($0 as? InboxError)?.code == code
            }
            await #expect {
                _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                    (order.receive(.operation(charge.operation, .due(.ready)), at: time), ())
                }
            } throws: { ($0 as? InboxError)?.code == code }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                // Another partition goes on meanwhile.
                let other = try gateway.shop.charge(Shop.order(in: 1))
                try await gateway.take([.charge(other)], in: 1)
                try await gateway.wait(for: "succeeded", of: other.order)
                group.cancelAll()
            }
            #expect(acquirer.received.allSatisfy { $0.orderNumber != charge.payment.description })
            #expect(try await gateway.column("phase", of: charge.order) == "created")
        }
    }

    @Test("begins anew when its watermark went back behind where reading stood, also when it has taken nothing itself")
    func movedBackWhileIdle() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charges = try (0..<3).map { _ in try gateway.shop.charge(Shop.order()) }
            // Others took the first two; then a standby was promoted that had the first one only.
            try await gateway.take(charges.prefix(1).map { .charge($0) })
            let third = KafkaRecord(.charge(charges[2]), at: 2)
            for start in [2, nil] as [Int64?] {
                await #expect { try await gateway.commands.process([third], of: 0, from: start) } throws: {
                    ($0 as? InboxError)?.code == .movedBack
                }
            }
            // A log may leave offsets out: what counts is where reading stood.
            try await gateway.commands.process([third], of: 0, from: 1)
            #expect(try await gateway.count("gateway.operations") == 2)
        }
    }

    @Test("begins anew when its watermark went back behind what this process has taken")
    func movedBack() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let charges = try (0..<3).map { _ in try gateway.shop.charge(Shop.order()) }
            try await gateway.take(charges.prefix(2).map { .charge($0) })
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET next_offset = 1 WHERE partition = 0")
            await #expect { try await gateway.take([.charge(charges[2])], from: 2) } throws: {
                ($0 as? InboxError)?.code == .movedBack
            }
            #expect(try await gateway.count("gateway.operations") == 2)
            try await gateway.take(charges.dropFirst().map { .charge($0) }, from: 1)
            #expect(try await gateway.column("phase", of: charges[2].order) == "created")
        }
    }
}

@Suite("A command below the mark of a recovery", .timeLimit(.minutes(10)))
struct MarkTests {
    private static let mark = "UPDATE gateway.inbox_watermarks SET mark = 1 WHERE partition = 0"

    // Failure scenario 52.
    @Test("is asked for at the acquirer before it is sent, and a later one is not")
    func asksFirst() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let suspect = try gateway.shop.charge(Shop.order())
            let fresh = try gateway.shop.charge(Shop.order())
            try await gateway.owner.execute(Self.mark)
            try await gateway.take([.charge(suspect), .charge(fresh)])
            #expect(try await gateway.column("phase || ' ' || next_step", of: suspect.order) == "unknown query")
            #expect(try await gateway.column("phase || ' ' || next_step", of: fresh.order) == "created send")
            // The lost database had sent it.
            try await acquirer.book(suspect, of: gateway)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                try await gateway.wait(for: "succeeded", of: suspect.order)
                try await gateway.wait(for: "succeeded", of: fresh.order)
                group.cancelAll()
            }
            #expect(acquirer.received.map(\.orderNumber) == [fresh.payment.description])
        }
    }

    @Test("is sent under its key when the acquirer does not know it, and pays once")
    func sends() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer]) { gateway in
            let suspect = try gateway.shop.charge(Shop.order())
            try await gateway.owner.execute(Self.mark)
            try await gateway.take([.charge(suspect)])
            try await gateway.wait(for: "succeeded", of: suspect.order)
            #expect(acquirer.received.count == 1 && acquirer.queries >= 1)
            #expect(try await gateway.turns(of: suspect.order) == ["accepted", "succeeded"])
        }
    }

    @Test("is not declined when it cannot be read: a newer version may have sent it")
    func unreadable() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let suspect = try gateway.shop.charge(Shop.order(), sealedCard: "a\0b")
            try await gateway.owner.execute(Self.mark)
            try await gateway.take([.charge(suspect)])
            #expect(try await gateway.story(of: suspect.order) == [])
            #expect(gateway.metrics.expose().contains("kind=\"unreadableCharge\"} 1"))
            #expect(
                try await gateway.count("gateway.outbox WHERE topic = '\(Topic.charges.deadLetters.name)'") == 1)
            #expect(try await gateway.count("gateway.inbox_watermarks WHERE next_offset = 1") == 1)
        }
    }

    @Test("raises the alarm of a command that was set aside also when nobody knows whether that was committed")
    func unknownCommit() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let suspect = try gateway.shop.charge(Shop.order(), sealedCard: "a\0b")
            try await gateway.owner.execute(Self.mark)
            try await gateway.endSessions(afterChanging: "gateway.outbox")
            await #expect {
                try await gateway.take([.charge(suspect)])
            } throws: { ($0 as? PostgresError)?.code == .commitUnknown }
            #expect(gateway.metrics.expose().contains("kind=\"unreadableCharge\"} 1"))
        }
    }

    @Test("brings back the card data of a charge that the journal gave back without them")
    func adopts() async throws {
        let acquirer = ScriptedAcquirer()
        try await TestGateway.with([acquirer], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            // As the journal alone would have it.
            try await gateway.owner.execute(
                """
                UPDATE gateway.operations SET phase = 'unknown', is_recovered = true, holds_card = false,
                    sealed_card = NULL, sealing_key = NULL, ticket_hash = NULL, open_since = now(), next_step = 'query',
                    next_at = now(), expires_at = signed_at, is_order_signed = false
                """)
            try await gateway.owner.execute("UPDATE gateway.orders SET due_step = 'query', due_at = now()")
            try await gateway.owner.execute(
                "UPDATE gateway.inbox_watermarks SET next_offset = 0, mark = 1 WHERE partition = 0")
            try await gateway.take([.charge(charge)])
            #expect(try await gateway.column("holds_card AND sealed_card IS NOT NULL", of: charge.order) == "true")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await gateway.timers().run() }
                try await gateway.wait(for: "succeeded", of: charge.order)
                group.cancelAll()
            }
            #expect(acquirer.received.count == 1)
            #expect(try await gateway.column("is_order_signed", of: charge.order) == "false")
        }
    }
}
