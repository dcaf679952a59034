import Contracts
import KeyFiles
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import ChargeGateway
@testable import Charging

@Suite("The rows of captures, voids and refunds")
struct FollowUpStoreTests {
    /// A gateway without timers whose only order is paid.
    private static func with(_ body: @Sendable (TestGateway, ChargeRequested) async throws -> Void) async throws {
        try await TestGateway.with([FollowUpAcquirer()], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                let subject = order.machine.operations[0].subject
                let intent = order.receive(.operation(subject.operation, .due(.ready)), at: time)
                let paid = answer(.succeeded(remark: nil), subject)
                return (
                    intent + order.receive(.operation(subject.operation, .sent(attempt: 1, .answered(paid))), at: time),
                    ()
                )
            }
            try await body(gateway, charge)
        }
    }

    private static func answer(_ verdict: Verdict, _ subject: Subject) -> AcquirerAnswer {
        let reference =
            subject.reference ?? AcquirerReference(acquirer: "", account: "", orderNumber: "", time: .now)
        return AcquirerAnswer(verdict, result: AcquirerResult(reference: reference, code: "00", serial: "7"))
    }

    @Test("leave none of the time before the database's server started unasked, when one is read late")
    func recordSince() async throws {
        try await Self.with { gateway, charge in
            let command = FollowUpRequested(
                .refund, command: CommandID(time: .now, randomness: [UInt8](repeating: 5, count: 10)),
                order: charge.order, merchant: Shop.merchant, payment: charge.payment,
                amount: Money(minorUnits: 12_345, currency: .cny),
                requestedAt: Timestamp.now - .seconds(86_400), partitions: Shop.partitions)
            let step = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                let actions = order.receive(command, hasRoute: true, mayHaveBeenSent: false, traceparent: nil, at: time)
                let operation = try #require(order.machine.followUps.first)
                let asking = order.receive(.operation(operation.subject.operation, .due(.ready)), at: time)
                return (actions + asking, try #require(order.machine.followUps.first))
            }
            let refund = try #require(step?.outcome)
            #expect(refund.subject.followUp?.attempt == 0 && refund.isAskingForUnsent)
            // The server of the tests runs for less than a day.
            let last = try #require(refund.state.lastSuspect)
            #expect(last > 10)
            // An operator who decides must know every key that it may be under.
            let report = ChargeReport(machine: refund, now: .now)
            #expect(report.lines.count { $0.hasPrefix("may also be there as ") } == last + 1)
            #expect(report.line.contains("resolvable from"))
        }
    }

    @Test("nor of the time before their topic's last recovery: a promoted standby has run all the time")
    func recordSinceRecovery() async throws {
        try await Self.with { gateway, charge in
            func recordSince() async throws -> Timestamp {
                let step = try await gateway.transactions.step(charge.order, in: 0) { order, _ in
                    ([], order.machine.policy.recordSince)
                }
                return try #require(step?.outcome)
            }
            let serverStart = try await recordSince()
            for (topic, time) in [(Topic.charges, "2100-01-01"), (.journal, "2101-01-01")] {
                try await gateway.owner.execute(
                    """
                    INSERT INTO gateway.inbox_recoveries (topic, partition, recovered_at, next_offset, mark, server)
                    VALUES ($1, 0, '\(time)'::timestamptz, 0, 0, 'of the test')
                    """, [topic.name])
            }
            let recovery = try #require(Timestamp(rfc3339: "2100-01-01T00:00:00Z"))
            #expect(try await recordSince() == recovery && serverStart < recovery)
        }
    }

    @Test("keep every part of their machines, and their order's due time")
    func roundTrip() async throws {
        try await Self.with { gateway, charge in
            #expect(try await gateway.column("serial", of: charge.order) == "7")
            #expect(try await gateway.count("gateway.orders WHERE has_follow_ups") == 0)
            let parts = try #require(
                OfferTotals(currency: .cny, subtotal: 600, discount: 0, shipping: 100, tax: 0))
            let command = FollowUpRequested(
                .refund, command: CommandID(time: .now, randomness: [UInt8](repeating: 4, count: 10)),
                order: charge.order, merchant: Shop.merchant, payment: charge.payment, amount: parts.amount,
                parts: parts, requestedAt: .now, partitions: Shop.partitions)
            _ = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                (order.receive(command, hasRoute: true, mayHaveBeenSent: true, traceparent: nil, at: time), ())
            }
            var seen: Set<OperationMachine> = []
            for step in 0...6 {
                let saved = try await gateway.transactions.step(charge.order, in: 0) { order, time in
                    let refund = order.machine.followUps[0].subject
                    let key = order.machine.followUps[0].possibleKeys.last
                    let late = time + .seconds(86_400 * 4)
                    let input: OperationInput? =
                        switch step {
                        case 0: nil
                        case 1: .due(.ready)
                        case 2: .queried(.answered(Self.answer(.notFound, refund)))
                        case 3: key.map { .absentInFiles($0) }
                        case 4: .due(.ready)
                        case 5: .notified(Self.answer(.declined(.other), refund))
                        default: .queried(.answered(Self.answer(.succeeded(remark: nil), refund)))
                        }
                    let actions = input.map {
                        order.receive(.operation(refund.operation, $0), at: step < 3 ? time : late)
                    }
                    return (actions ?? [], order.machine)
                }
                let loaded = try await gateway.transactions.step(charge.order, in: 0) { order, _ in ([], order.machine)
                }
                #expect(loaded?.outcome == saved?.outcome, "step \(step)")
                if let refund = loaded?.outcome.followUps.first { seen.insert(refund) }
            }
            #expect(seen.count == 7, "each step changed something that was kept")
            #expect(try await gateway.count("gateway.follow_ups WHERE NOT is_live AND serial = '7'") == 1)
            #expect(try await gateway.count("gateway.orders WHERE has_follow_ups AND due_at IS NULL") == 1)
        }
    }

    @Test("refuse a second one without an outcome, whatever a program does")
    func oneAtATime() async throws {
        try await Self.with { gateway, charge in
            try await gateway.take([.signed(try gateway.shop.follow(.refund, charge, 100))], from: 1)
            let error = await #expect(throws: PostgresError.self) {
                try await gateway.owner.execute(
                    """
                    INSERT INTO gateway.follow_ups (\(FollowUpRow.columns), number, order_number, transaction_time)
                        SELECT \(FollowUpRow.columns.replacing("operation_id", with: "gen_random_uuid()")), 1,
                            order_number, transaction_time
                        FROM gateway.follow_ups
                    """)
            }
            #expect(error?.constraint == "follow_ups_one_at_a_time")
        }
    }

    @Test("are listed, shown and resolved for people, counted, and looked for after a failover")
    func people() async throws {
        try await Self.with { gateway, charge in
            try await gateway.take([.signed(try gateway.shop.follow(.refund, charge, 4_500))], from: 1)
            try await gateway.owner.execute(
                """
                UPDATE gateway.follow_ups SET phase = 'unknown', sends = 1, sent_at = clock_timestamp() - interval '1 d',
                    caused_at = clock_timestamp() - interval '1 d'
                """)
            let query = ChargeQuery(policy: gateway.transactions.policy)
            let open = try await gateway.transactions.read { try await query.open(10, on: $0).found }
            let found = try #require(open.first)
            #expect(open.count == 1 && found.machine.subject.kind == .refund)
            let report = ChargeReport(machine: found.machine, now: .now)
            #expect(report.line.contains("refund  unknown  45.00 CNY") && report.line.hasSuffix("may be resolved"))
            #expect(report.lines.contains { $0.hasPrefix("operation") })
            let registry = MetricsRegistry()
            try await OpenChargeMetrics(registry, pool: gateway.pool, readiness: gateway.readiness).count()
            #expect(registry.expose().contains(#"charge_gateway_open_follow_ups{kind="refund",phase="unknown"} 1"#))
            #expect(try await gateway.count("gateway.open_follow_ups WHERE amount = 45.00") == 1)
            let word = try #require(Resolution(.notCharged, reason: "hotline", by: "li.wei"))
            let answer = try await ChargeResolution(transactions: gateway.transactions).resolve(
                charge.order, found.machine.subject.operation.description, word)
            #expect(answer.isDone, "\(answer.text)")
            #expect(try await gateway.story(of: charge.order).last == "refund resolved")
        }
    }
}
