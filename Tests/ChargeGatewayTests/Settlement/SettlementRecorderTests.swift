import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import TestSupport
import Testing

@testable import Acquirers
@testable import ChargeGateway

@Suite("A settlement file, recorded", .timeLimit(.minutes(5)))
struct SettlementRecorderTests {
    private static let date = SettlementCalendar.unionPay.lastClosedDay(at: .now)
    private static let recorded = "orchard.settlement.recorded.v1"

    /// Runs `body` with charges that are unknown since the day before yesterday.
    private static func with(
        _ count: Int, _ body: @Sendable (TestGateway, FileSource, [ChargeRequested]) async throws -> Void
    ) async throws {
        let source = FileSource()
        try await TestGateway.with([source], hasTimers: false) { gateway in
            let charges = try (0..<count).map { _ in try gateway.shop.charge(Shop.order()) }
            try await gateway.take(charges.map { .charge($0) })
            for charge in charges { try await gateway.strand(charge, at: .now - .seconds(2 * 86_400)) }
            try await body(gateway, source, charges)
        }
    }

    private static func record(
        _ sample: SettlementSample, _ gateway: TestGateway, _ source: FileSource
    ) async throws -> SettlementFetcher.Result {
        source.answer(date, .file(sample.package))
        return try await gateway.settlement.fetch(gateway.account(source), date)
    }

    // Failure scenario 48.
    @Test("decides what queries could not, and tells each row in its order and the file in its day, once")
    func once() async throws {
        try await Self.with(2) { gateway, source, charges in
            var sample = SettlementSample(
                on: Self.date, charges.enumerated().map { SettlementSample.Row($0 + 1, of: $1) })
            sample.disputes = [sample.rows[1]]
            guard case .taken(.recorded) = try await Self.record(sample, gateway, source) else {
                Issue.record("not recorded"); return
            }
            #expect(
                try await gateway.story(of: charges[0].order) == ["accepted", "succeeded", Self.recorded])
            #expect(
                try await gateway.story(of: charges[1].order)
                    == ["accepted", "succeeded", Self.recorded, "orchard.dispute.opened.v1"])
            let facts = try await gateway.facts(of: charges[0].order)
            guard case .settlementRecorded(let row) = facts.last, case .payment(let payment) = facts[1],
                case .succeeded(let result, _, _) = payment.event
            else { Issue.record("\(facts)"); return }
            #expect(row.operation?.operation == charges[0].operation && row.fee == 74 && row.net == 12_271)
            #expect(result.serial == row.serial && result.code == SettlementRow.code)
            let day = TestGateway.day(Self.date)
            guard case .settlementFileRecorded(let file) = try await gateway.facts(of: day.subject).last else {
                Issue.record("no fact of the file"); return
            }
            #expect(file.rows == 2 && file.disputes == 1 && file.net == 24_542)
            let count = try await gateway.count("gateway.outbox")
            sample.archive = { $0.entries[0].isDeflated = false }
            guard case .taken(.known) = try await Self.record(sample, gateway, source) else {
                Issue.record("a file that was packed again is not known"); return
            }
            #expect(try await gateway.count("gateway.outbox") == count)
            #expect(try await gateway.count("gateway.settlement_rows WHERE order_id IS NOT NULL") == 2)
        }
    }

    @Test("is an alarm where it contradicts what is known: another amount, or paid what was declined")
    func conflicts() async throws {
        try await Self.with(3) { gateway, source, charges in
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET phase = 'declined' WHERE order_id = $1", [charges[1].order])
            try await gateway.owner.execute(
                "UPDATE gateway.operations SET phase = 'succeeded' WHERE order_id = $1", [charges[2].order])
            let sample = SettlementSample(
                on: Self.date,
                [
                    SettlementSample.Row(1, of: charges[0], fen: 12_346), SettlementSample.Row(2, of: charges[1]),
                    SettlementSample.Row(3, of: charges[2], fen: 12_344),
                ])
            guard case .taken(.recorded) = try await Self.record(sample, gateway, source) else {
                Issue.record("not recorded"); return
            }
            #expect(try await gateway.turns(of: charges[0].order) == ["accepted", "conflicted", Self.recorded])
            #expect(try await gateway.turns(of: charges[1].order).contains("lateSuccess"))
            #expect(try await gateway.turns(of: charges[2].order) == ["accepted", Self.recorded])
            #expect(gateway.log.lines.count { $0.message.contains("ALARM conflict") } == 2)
            #expect(gateway.log.lines.contains { $0.message.contains("ALARM lateSuccess") })
        }
    }

    @Test("tells rows of no operation of ours in the day, with an alarm")
    func unmatched() async throws {
        try await Self.with(1) { gateway, source, charges in
            var void = SettlementSample.Row("31", 2, orderNumber: charges[0].payment.description, fen: 12_345, fee: 74)
            void.serial = "782611231200000000028"
            var sample = SettlementSample(
                on: Self.date, [SettlementSample.Row(1, orderNumber: "somebodyelse1", fen: 100, fee: 1), void])
            sample.disputes = [SettlementSample.Row(9, orderNumber: "x", fen: 7, fee: 0)]
            guard case .taken(.recorded) = try await Self.record(sample, gateway, source) else {
                Issue.record("not recorded"); return
            }
            #expect(try await gateway.turns(of: charges[0].order) == ["accepted"])
            let facts = try await gateway.facts(of: TestGateway.day(Self.date).subject)
            #expect(
                facts.map(\.summary) == [
                    Self.recorded, Self.recorded, "orchard.dispute.opened.v1", "orchard.settlement.fileRecorded.v1",
                ])
            #expect(gateway.log.lines.count { $0.message.contains("ALARM settlement row unmatched") } == 2)
        }
    }

    @Test("goes on where a process was killed, without the acquirer; two at once tell nothing twice")
    func resumed() async throws {
        try await Self.with(0) { gateway, source, _ in
            let rows = (1...1_201).map { SettlementSample.Row($0, orderNumber: "foreign\($0)", fen: 100, fee: 1) }
            let sample = SettlementSample(on: Self.date, rows)
            // An event of the second portion waits already: its transaction fails, as a lost connection would make it.
            let day = TestGateway.day(Self.date)
            let row = SettlementRecorded(
                order: day.subject, day: day, operation: nil, kind: .sale, serial: rows[700].serial,
                orderNumber: rows[700].orderNumber, amount: Money(minorUnits: 100, currency: .cny), fee: 1, net: 99)
            let partition = Partitioner.partition(of: day.subject, among: Shop.partitions)
            try await gateway.owner.execute(
                "INSERT INTO gateway.outbox (partition, event_id, topic, key, headers, value) VALUES ($1, $2, $3, '', '', '')",
                [partition, row.id.description, Topic.journal.name])
            await #expect(throws: PostgresError.self) { _ = try await Self.record(sample, gateway, source) }
            #expect(try await gateway.count("gateway.settlement_rows") == 500)
            #expect(
                try await gateway.count("gateway.settlement_files WHERE recorded = 500 AND recorded_at IS NULL") == 1)
            try await gateway.owner.execute("DELETE FROM gateway.outbox WHERE value = ''")
            // Another merchant of the account stands first in merchants.json by now: the day stays the first one's.
            let other = SettlementAccount(
                merchant: MerchantID(high: 9, low: 9), account: Shop.account, source: source)
            let asked = source.asked.count
            async let first = try? gateway.settlement.resume(gateway.account(source), Self.date)
            async let second = try? gateway.settlement.resume(other, Self.date)
            _ = await (first, second)
            _ = try await gateway.settlement.resume(other, Self.date)
            #expect(source.asked.count == asked)
            #expect(try await gateway.count("(SELECT DISTINCT key FROM gateway.outbox) AS k") == 1)
            #expect(try await gateway.count("gateway.settlement_rows") == 1_201)
            #expect(try await gateway.count("gateway.outbox") == 1_202)
            #expect(try await gateway.count("(SELECT DISTINCT event_id FROM gateway.outbox) AS e") == 1_202)
            #expect(try await gateway.count("gateway.settlement_files WHERE recorded_at IS NOT NULL") == 1)
        }
    }

    @Test("with another content for a recorded day is kept aside with an alarm, and nothing of it is told")
    func contradicted() async throws {
        try await Self.with(1) { gateway, source, charges in
            let sample = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
            _ = try await Self.record(sample, gateway, source)
            let count = try await gateway.count("gateway.outbox")
            var other = sample
            other.rows.append(SettlementSample.Row(2, orderNumber: "another2", fen: 1, fee: 0))
            guard case .taken(.contradicted) = try await Self.record(other, gateway, source) else {
                Issue.record("another content is taken"); return
            }
            #expect(try await gateway.count("gateway.outbox") == count)
            #expect(try await gateway.count("gateway.settlement_rows") == 1)
            #expect(try await gateway.count("gateway.settlement_refusals") == 1)
            #expect(gateway.log.lines.contains { $0.message.contains("ALARM settlement file contradicted") })
        }
    }

    @Test("that is wrong is kept aside with its reason, five of a day at most, and the right one is taken later")
    func refused() async throws {
        try await Self.with(1) { gateway, source, charges in
            let right = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
            for number in 0..<7 {
                var wrong = right
                wrong.rows[0].cells[7] = "00000001234\(number == 5 ? 4 : number)"
                for _ in 0..<2 {
                    guard case .taken(.refused(let error)) = try await Self.record(wrong, gateway, source) else {
                        Issue.record("a wrong sum is taken"); return
                    }
                    #expect(error.code == .rowSum)
                }
            }
            #expect(try await gateway.count("gateway.settlement_refusals") == 5)
            #expect(
                try await gateway.count(
                    "gateway.settlement_refusals WHERE reason LIKE 'rowSum at ZM, line 1, column 17: %'") == 5)
            #expect(try await gateway.story(of: charges[0].order) == ["accepted"])
            guard case .taken(.recorded) = try await Self.record(right, gateway, source) else {
                Issue.record("the right file is not taken"); return
            }
        }
    }

    @Test("fetched again into a restored database tells the same events with the same content, also when it is packed anew")
    func restored() async throws {
        try await Self.with(1) { gateway, source, charges in
            func events() async throws -> [String: [UInt8]] {
                let rows = try await gateway.owner.query(
                    """
                    SELECT partition || ' ' || event_id AS name, value FROM gateway.outbox
                    WHERE convert_from(headers, 'UTF8') LIKE '%orchard.settlement.%' OR convert_from(headers, 'UTF8') LIKE '%orchard.dispute.%'
                    """)
                return try rows.reduce(into: [:]) { $0[try $1.string("name")] = try $1.bytes("value") }
            }
            var sample = SettlementSample(
                on: Self.date,
                [SettlementSample.Row(1, of: charges[0]), SettlementSample.Row(2, orderNumber: "foreign1", fen: 100, fee: 1)])
            sample.disputes = [sample.rows[0]]
            _ = try await Self.record(sample, gateway, source)
            let before = try await events()
            #expect(before.count == 4)
            try await gateway.owner.script(
                "DELETE FROM gateway.settlement_files; DELETE FROM gateway.settlement_rows; DELETE FROM gateway.outbox")
            sample.archive = { $0.entries[0].isDeflated = false }
            guard case .taken(.recorded) = try await Self.record(sample, gateway, source) else {
                Issue.record("not recorded again"); return
            }
            #expect(try await events() == before)
        }
    }

    @Test("with a card number in the clear is refused, and not one byte of it is kept")
    func cardNumber() async throws {
        try await Self.with(1) { gateway, source, charges in
            var sample = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
            sample.rows[0].cells[6] = "6259021234563629"
            // Wrong too, which would be said first.
            sample.rows[0].cells[7] = "000000012344"
            guard case .taken(.refused(let error)) = try await Self.record(sample, gateway, source) else {
                Issue.record("a file with card numbers is taken"); return
            }
            #expect(error.code == .cardNumber)
            #expect(try await gateway.count("gateway.settlement_files") == 0)
            #expect(try await gateway.count("gateway.settlement_refusals WHERE content = '' AND reason <> ''") == 1)
        }
    }

    @Test("is not written into a partition whose database may lack commits, and not fetched before the day is over")
    func fenced() async throws {
        try await Self.with(1) { gateway, source, charges in
            try await gateway.owner.execute("UPDATE gateway.inbox_watermarks SET refusal = 'run recover'")
            let sample = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
            await #expect(throws: (any Error).self) { _ = try await Self.record(sample, gateway, source) }
            #expect(try await gateway.count("gateway.settlement_files") == 0)
            let today = Self.date.adding(days: 1)
            guard case .failed(let reason) = try await gateway.settlement.fetch(gateway.account(source), today) else {
                Issue.record("today's file is fetched"); return
            }
            #expect(reason == "the day is not over" && !source.asked.contains(today))
        }
    }
}
