import Charging
import Contracts
import OrchardPostgres
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("The queue of what is due", .timeLimit(.minutes(5)))
struct DueQueueTests {
    private let queue = DueQueue(inbox: Gateway.inbox)

    /// Orders of an account that are due, the later ones sooner.
    private func fill(_ account: String, _ orders: Int, _ step: String = "send", in gateway: TestGateway) async throws {
        try await gateway.owner.script(
            """
            INSERT INTO gateway.orders (partition, order_id, due_at, due_step, due_acquirer, due_account)
                SELECT n % 4, md5('\(account) \(step)' || n), now() - make_interval(secs => n), '\(step)', 'unionpay',
                    '\(account)'
                FROM generate_series(1, \(orders)) AS n;
            ANALYZE gateway.orders
            """)
    }

    private func read(
        _ slots: Slots, without claimed: Set<OrderID> = [], in gateway: TestGateway
    ) async throws -> [DueOrder] {
        try await queue.read(slots.free, without: claimed, on: gateway.owner)
    }

    @Test("gives each account what it has slots for, the oldest first and the accounts in turn")
    func turns() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            for account in ["a", "b"] { try await fill(account, 100, in: gateway) }
            try await fill("a", 1, "query", in: gateway)
            let slots = Slots(Slots.Limits(acquirer: 5, account: 3))
            let due = try await read(slots, in: gateway)
            let (words, both) = (due.map { "\($0.step) \($0.account)" }, Set(["send a", "send b"]))
            #expect(words.count == 7 && words[2] == "query a", "\(words)")
            for turn in [words[0...1], words[3...4], words[5...6]] { #expect(Set(turn) == both, "\(words)") }
            #expect(due.first { $0.account == "b" }?.order == (try await oldest("b", in: gateway)))

            // Two of a's three are on their way, and one order is in hand without a slot.
            for order in due.filter({ $0.account == "a" && $0.step == .send }).prefix(2) {
                #expect(slots.take(for: order))
            }
            let next = try await read(slots, without: Set(due.map(\.order)), in: gateway)
            #expect(next.count { $0.account == "a" && $0.step == .send } == 1)
            #expect(next.count { $0.account == "b" } == 3)
            #expect(Set(next.map(\.order)).isDisjoint(with: due.map(\.order)))

            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'restored'")
            #expect(try await read(slots, in: gateway).isEmpty, "nothing of a partition that stands still")
        }
    }

    @Test("costs the same however many orders wait, and wherever nothing may be stepped", arguments: [false, true])
    func cost(isRefused: Bool) async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            try await fill("a", 300, in: gateway)
            if isRefused {
                try await gateway.owner.execute(
                    "UPDATE gateway.inbox_watermarks SET refusal = 'restored' WHERE partition > 0")
            }
            let few = try await pages(in: gateway)
            try await fill("b", 50_000, in: gateway)
            let many = try await pages(in: gateway)
            #expect(many < few * 4, "\(many) pages instead of \(few)")
        }
    }

    private func oldest(_ account: String, in gateway: TestGateway) async throws -> OrderID {
        try #require(
            try await gateway.owner.query(
                "SELECT order_id FROM gateway.orders WHERE due_account = $1 ORDER BY due_at LIMIT 1", [account]
            ).first
        ).identifier("order_id")
    }

    /// How many pages of the database a look reads.
    private func pages(in gateway: TestGateway) async throws -> Int {
        let statement = queue.statement(Slots(Slots.Limits()).free, without: [])
        let plan = try await gateway.owner.query(
            "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) \(statement.sql)", statement.parameters)
        // The first line of buffers is that of the whole plan.
        let line = try plan.map { try $0.string("QUERY PLAN") }.first { $0.contains("Buffers:") }
        return try #require(line).matches(of: #/(?:hit|read)=(\d+)/#).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }
}
