import Charging
import Contracts
import KeyFiles
import OrchardPostgres
import TestSupport
import Testing

@testable import Acquirers
@testable import ChargeGateway

@Suite("A settlement file, recorded", .timeLimit(.minutes(10)))
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

    @Test("tells a row of another merchant's operation in the day, and still ends the operation by it")
    func anotherMerchant() async throws {
        try await Self.with(1) { gateway, source, charges in
            let sample = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
            source.answer(Self.date, .file(sample.package))
            // The account has moved from the merchant of the charge to this one.
            let owner = SettlementAccount(
                merchant: MerchantID(high: 9, low: 9), account: Shop.account, source: source)
            guard case .taken(.recorded) = try await gateway.settlement.fetch(owner, Self.date) else {
                Issue.record("not recorded"); return
            }
            #expect(try await gateway.turns(of: charges[0].order) == ["accepted", "succeeded"])
            #expect(try await gateway.count("gateway.settlement_rows WHERE order_id IS NULL") == 1)
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

    /// A file that is wrong, and the beginning of the reason.
    private static let wrongFiles: [(change: @Sendable (inout SettlementSample) -> Void, reason: String)] = [
        ({ $0.rows[0].cells[7] = "000000012344" }, "rowSum at ZM, line 1, column 17: the amount less the fee"),
        (
            {
                var other = $0
                other.rows[0].fen += 1
                $0.summary = other.summaryBytes
            }, "total at RD2010, line 3, column 4: what was taken is not what the detail file sums to"
        ),
        (
            { $0.detail = Array($0.detailBytes.dropLast(9)) },
            "form at ZM, line 1: 600 bytes are not lines of 607 and CRLF: cut"
        ),
        (
            {
                $0.summary = $0.summaryBytes
                $0.rows = []
            }, "total at RD2010, line 3, column 2: the number of rows"
        ),
        ({ $0.rows += $0.rows }, "duplicate at ZM, line 2, column 10: line 1 has the same queryId"),
        ({ $0.account = "777290058110049" }, "account at the archive: a file's name has another merId"),
        ({ $0.rows[0].cells[28] = "777290058110049" }, "account at ZM, line 1, column 28: the row is of another merId"),
        (
            { $0.day = date.adding(days: 1).description.filter { $0 != "-" } },
            "date at the archive: a file's name has another day"
        ),
    ]

    @Test(
        "of a wrong sum, cut, doubled, another merchant's or tomorrow's books nothing, and is kept aside with its reason"
    )
    func wrongFiles() async throws {
        for (change, reason) in Self.wrongFiles {
            try await Self.with(1) { gateway, source, charges in
                var sample = SettlementSample(on: Self.date, [SettlementSample.Row(1, of: charges[0])])
                change(&sample)
                let events = try await gateway.count("gateway.outbox")
                guard case .taken(.refused(let error)) = try await Self.record(sample, gateway, source) else {
                    Issue.record("taken: \(reason)"); return
                }
                #expect(error.description.hasPrefix(reason), "\(error)")
                #expect(try await gateway.count("gateway.outbox") == events)
                for table in ["settlement_files", "settlement_rows"] {
                    #expect(try await gateway.count("gateway.\(table)") == 0)
                }
                #expect(try await gateway.column("phase", of: charges[0].order) == "unknown")
                let kept = try await gateway.owner.query("SELECT content, reason FROM gateway.settlement_refusals")
                #expect(try kept.map { try $0.bytes("content") } == [sample.package])
                #expect(try kept.map { try $0.string("reason") } == [error.description])
                #expect(gateway.log.lines.contains { $0.message == "ALARM settlement file refused: \(error)" })
            }
        }
    }

    @Test("cut on its way, or no file at all, is kept aside as badly packed")
    func wrongPackages() async throws {
        try await Self.with(0) { gateway, source, _ in
            let package = SettlementSample(
                on: Self.date, [SettlementSample.Row(1, orderNumber: "x1", fen: 100, fee: 1)]
            ).package
            for content in [Array(package.dropLast(7)), Array("<html>".utf8), package + package] {
                source.answer(Self.date, .file(content))
                let result = try await gateway.settlement.fetch(gateway.account(source), Self.date)
                guard case .taken(.refused(let error)) = result else { Issue.record("taken: \(result)"); return }
                #expect(error.code == .packing && error.reason.hasPrefix("it cannot be unpacked"), "\(error)")
            }
            #expect(try await gateway.count("gateway.settlement_refusals WHERE octet_length(content) > 0") == 3)
            #expect(try await gateway.count("gateway.outbox") == 0)
        }
    }

    @Test(
        "fetched again into a restored database tells the same events with the same content, also when it is packed anew"
    )
    func restored() async throws {
        try await Self.with(1) { gateway, source, charges in
            func events() async throws -> [String: [UInt8]] {
                let rows = try await gateway.owner.query(
                    """
                    SELECT partition || ' ' || event_id AS name, value FROM gateway.outbox
                    WHERE headers LIKE '%orchard.settlement.%' OR headers LIKE '%orchard.dispute.%'
                    """)
                return try rows.reduce(into: [:]) { $0[try $1.string("name")] = try $1.bytes("value") }
            }
            var sample = SettlementSample(
                on: Self.date,
                [
                    SettlementSample.Row(1, of: charges[0]),
                    SettlementSample.Row(2, orderNumber: "foreign1", fen: 100, fee: 1),
                ])
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
