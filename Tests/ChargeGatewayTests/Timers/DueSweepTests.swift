import Charging
import Contracts
import OrchardPostgres
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

@Suite("A sweep for what is due", .timeLimit(.minutes(10)))
struct DueSweepTests {
    private let sweep = DueSweep(inbox: GatewayService.inbox)

    /// Orders of an account that are due, the later ones sooner.
    private func fill(_ account: String, _ orders: Int, _ step: String = "send", in gateway: TestGateway) async throws {
        try await gateway.owner.script(
            """
            INSERT INTO gateway.orders (partition, order_id, due_at, due_step, due_acquirer, due_account)
                SELECT n % 4, md5('\(account) \(step)' || n)::uuid, now() - make_interval(secs => n), '\(step)', 'unionpay',
                    '\(account)'
                FROM generate_series(1, \(orders)) AS n;
            ANALYZE gateway.orders
            """)
    }

    @Test("finds the first orders of each account, the longest due first and the accounts in turn")
    func turns() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            for account in ["a", "b"] { try await fill(account, 600, in: gateway) }
            try await fill("a", 1, "query", in: gateway)
            try await gateway.owner.execute(
                "UPDATE gateway.orders SET due_at = now() + interval '1 minute' WHERE order_id = md5('b send1')::uuid")
            let swept = try await sweep.read(without: [], on: gateway.owner)
            let (found, time) = (swept.due, swept.time)
            let text = found.map { "\($0.order.step) \($0.order.account)" }
            #expect(text.count == 2 * DueSweep.ofQueue + 1 && text[2] == "query a", "\(text)")
            for turn in [text[0...1], text[3...4], text[5...6]] {
                #expect(Set(turn) == ["send a", "send b"], "\(text)")
            }
            let ofB = found.filter { $0.order.account == "b" }
            #expect(ofB.map(\.time) == ofB.map(\.time).sorted() && ofB.allSatisfy { $0.time <= time })
            #expect(ofB.first?.order.order == (try await oldest("b", in: gateway)))

            let next = try await sweep.read(without: Set(found.map(\.order.order)), on: gateway.owner).due
            #expect(next.count { $0.order.account == "a" } == DueSweep.ofQueue, "the query is in hand")
            #expect(Set(next.map(\.order.order)).isDisjoint(with: found.map(\.order.order)))

            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'restored'")
            let refused = try await sweep.read(without: [], on: gateway.owner).due
            #expect(refused.isEmpty, "nothing of a partition that stands still")
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
            #expect(many < few * 8, "\(many) pages instead of \(few)")
        }
    }

    private func oldest(_ account: String, in gateway: TestGateway) async throws -> OrderID {
        try #require(
            try await gateway.owner.query(
                "SELECT order_id FROM gateway.orders WHERE due_account = $1 ORDER BY due_at LIMIT 1", [account]
            ).first
        ).identifier("order_id")
    }

    /// How many pages of the database a sweep reads.
    private func pages(in gateway: TestGateway) async throws -> Int {
        let statement = sweep.statement(without: [])
        let plan = try await gateway.owner.query(
            "EXPLAIN (ANALYZE, BUFFERS, COSTS off, TIMING off) \(statement.sql)", statement.parameters)
        // The first line of buffers is that of the whole plan.
        let line = try plan.map { try $0.string("QUERY PLAN") }.first { $0.contains("Buffers:") }
        return try #require(line).matches(of: #/(?:hit|read)=(\d+)/#).reduce(0) { $0 + (Int($1.output.1) ?? 0) }
    }
}
