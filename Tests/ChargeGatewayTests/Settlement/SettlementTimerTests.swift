import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import Acquirers
@testable import ChargeGateway

@Suite("The timer of settlement files", .timeLimit(.minutes(10)))
struct SettlementTimerTests {
    private static let last = SettlementCalendar.unionPay.lastClosedDay(at: .now)

    private static func timer(_ gateway: TestGateway, _ source: FileSource) throws -> SettlementTimer {
        let (configuration, _) = try ConfigReader.read(
            ConfigSources(environment: ["SETTLEMENT_MARGIN": "0s", "SETTLEMENT_OVERDUE": "0s"])
        ) { SettlementConfiguration(reader: $0) }
        let merchants = GatewayMerchants(
            registry: gateway.shop.registry, directory: AcquirerDirectory([source]), certificates: [])
        return SettlementTimer(
            fetcher: gateway.settlement, sweep: AbsenceSweep(transactions: gateway.transactions),
            lock: SettlementLock(postgres: PostgresConfiguration(connectionString: gateway.url)),
            merchants: { merchants }, configuration: configuration, readiness: gateway.readiness,
            logger: gateway.logger)
    }

    /// Noon of a day in Beijing.
    private static func noon(_ date: SettlementDate) -> Timestamp {
        SettlementCalendar.unionPay.end(of: date) - .seconds(39_600)
    }

    // Failure scenario 48.
    @Test(
        "asks for the last days and those on which something was charged, reports what is overdue, and asks no more for what it has"
    )
    func rounds() async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            let missed = Self.last.adding(days: -10)
            try await gateway.strand(charge, at: Self.noon(missed))
            let timer = try Self.timer(gateway, source)
            await timer.round()
            #expect(source.asked == [missed] + (-2...0).map { Self.last.adding(days: $0) })
            let component = gateway.readiness.report.components[SettlementTimer.component]
            #expect(component?.isReady == false && component?.reason.contains("the file of \(missed)") == true)
            source.answer(missed, .file(SettlementSample(on: missed, [SettlementSample.Row(1, of: charge)]).package))
            await timer.round()
            #expect(gateway.readiness.report.components[SettlementTimer.component]?.isReady == true)
            #expect(try await gateway.turns(of: charge.order).contains("succeeded"))
            let asked = source.asked.count
            await timer.round()
            #expect(source.asked.count == asked + 3 && source.asked.count { $0 == missed } == 2)
        }
    }

    @Test("expects a file also of a day that has captures or refunds only; a void of a hold moves no money")
    func expectsFollowUps() async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let timer = try Self.timer(gateway, source)
            let days = (10...12).map { Self.last.adding(days: -$0) }
            for (day, kind, target) in [
                (days[0], "capture", nil), (days[1], "refund", nil), (days[2], "void", "authorisation"),
            ]
                as [(SettlementDate, String, String?)]
            {
                try await gateway.owner.execute(
                    """
                    INSERT INTO gateway.follow_ups (partition, order_id, operation_id, number, payment_id, merchant_id, kind,
                        target, caused_at, amount, currency, acquirer, account, original_number, original_time, attempt,
                        order_number, transaction_time, phase, transition, sends, unsent, is_sending, is_unknown_told, queries,
                        is_known_there, is_recovered, is_query_only)
                    SELECT 0, gen_random_uuid(), gen_random_uuid(), 0, gen_random_uuid(), $1, $2, $3, $4, 100, 'CNY', 'unionpay', $5,
                        '1', $4, 0, md5($2), $4, 'succeeded', 2, 1, 0, false, false, 1, true, false, false
                    """,
                    [Shop.merchant, kind, target, Self.noon(day).postgres, Shop.account] as [any PostgresEncodable])
            }
            await timer.round()
            #expect(source.asked == [days[1], days[0]] + (-2...0).map { Self.last.adding(days: $0) })
            let component = gateway.readiness.report.components[SettlementTimer.component]
            #expect(component?.reason.contains("2 files, the first of \(days[1])") == true)
        }
    }

    @Test("says that it could not look, and takes nothing back that it knew")
    func unasked() async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let timer = try Self.timer(gateway, source)
            func fail(_ work: () async throws -> Void) async throws {
                try await gateway.owner.execute("ALTER TABLE gateway.settlement_files RENAME TO away")
                try await work()
                try await gateway.owner.execute("ALTER TABLE gateway.away RENAME TO settlement_files")
            }
            try await fail {
                await timer.round()
                let component = gateway.readiness.report.components[SettlementTimer.component]
                #expect(component?.isReady == true && component?.reason.contains("could not be looked at") == true)
            }
            await timer.round()
            #expect(gateway.readiness.report.components[SettlementTimer.component]?.reason == "none is overdue")
            let charge = try gateway.shop.charge(Shop.order())
            try await gateway.take([.charge(charge)])
            try await gateway.strand(charge, at: Self.noon(Self.last.adding(days: -10)))
            await timer.round()
            try await fail {
                await timer.round()
                let component = gateway.readiness.report.components[SettlementTimer.component]
                #expect(component?.isReady == false && component?.reason.contains("could not be looked at") == true)
            }
        }
    }

    @Test("works in one process at a time")
    func locked() async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let timer = try Self.timer(gateway, source)
            _ = try await timer.lock.hold(acquirer: "unionpay", account: Shop.account) { await timer.round() }
            #expect(source.asked == [])
            await timer.round()
            #expect(source.asked.count == SettlementPlan.alwaysAsked)
        }
    }

    // Failure scenario 9.
    @Test(
        "proves a charge absent by the files of its day and the next, and the acquirer's own word; a day without a file proves nothing"
    )
    func absent() async throws {
        let source = FileSource()
        try await TestGateway.with([source]) { gateway in
            let charges = try (0..<3).map { _ in try gateway.shop.charge(Shop.order()) }
            let (day, next) = (Self.last.adding(days: -1), Self.last)
            // Of the first the acquirer never heard; the second is in the next day's file; the third's row is damaged.
            try await gateway.take(charges.map { .charge($0) })
            for charge in charges {
                try await gateway.wait(for: "succeeded", of: charge.order)
                try await gateway.strand(charge, at: Self.noon(day))
            }
            try await gateway.owner.execute(
                "UPDATE gateway.orders SET closed_reason = NULL, closed_payment = NULL, due_at = NULL, due_step = NULL")
            try await gateway.owner.execute("UPDATE gateway.operations SET is_known_there = false, serial = NULL")
            try await gateway.owner.execute(
                """
                UPDATE gateway.operations SET currency = 'XX', transaction_time = transaction_time - interval '1 second'
                WHERE order_id = $1
                """, [charges[2].order])
            let timer = try Self.timer(gateway, source)
            source.answer(day, .file(SettlementSample(on: day).package))
            await timer.round()
            #expect(try await gateway.column("phase", of: charges[0].order) == "unknown")
            #expect(try await gateway.column("absent_since", of: charges[0].order) == nil)
            source.answer(next, .file(SettlementSample(on: next, [SettlementSample.Row(1, of: charges[1])]).package))
            await timer.round()
            try await gateway.wait(for: "notCharged", of: charges[0].order)
            #expect(try await gateway.column("phase", of: charges[1].order) == "succeeded")
        }
    }

    @Test(
        "lets a damaged row hold up the files of its day only",
        arguments: ["currency = 'zz'", "card_last_four = NULL"])
    func damaged(_ change: String) async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let charges = try (0..<2).map { _ in try gateway.shop.charge(Shop.order()) }
            let (day, next) = (Self.last.adding(days: -1), Self.last)
            try await gateway.take(charges.map { .charge($0) })
            for charge in charges { try await gateway.strand(charge, at: Self.noon(day)) }
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET \(change) WHERE order_id = $1", [charges[0].order])
            source.answer(day, .file(SettlementSample(on: day, [SettlementSample.Row(1, of: charges[0])]).package))
            source.answer(next, .file(SettlementSample(on: next, [SettlementSample.Row(1, of: charges[1])]).package))
            try await Self.timer(gateway, source).round()
            #expect(try await gateway.column("phase", of: charges[1].order) == "succeeded")
            let component = gateway.readiness.report.components[SettlementTimer.component]
            #expect(component?.reason.contains("could not be looked at") == true, "\(String(describing: component))")
        }
    }
}
