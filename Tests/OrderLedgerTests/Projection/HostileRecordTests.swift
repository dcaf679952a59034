import Contracts
import KafkaBridge
import Ledger
import LedgerFixtures
import Testing

@testable import OrderLedger

/// Records that no program of Orchard writes: each is stored as it is and reported, and the partition goes on.
@Suite("A hostile record of the journal", .timeLimit(.minutes(10)))
struct HostileRecordTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var key: [UInt8]? = Array("key".utf8)
        var headers: [JournalRecord.Header] = []
        var value: [UInt8] = Array("{}".utf8)

        func record(at offset: Int64) -> JournalRecord {
            JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: offset), key: key, headers: headers,
                value: value)
        }
    }

    private static let cases: [Case] = {
        let good = (try? Shop.totals()).map { History().offer(1, $0).record(at: 0) }
        let headers = good?.headers ?? []
        func changed(_ name: String, _ value: [UInt8]) -> [JournalRecord.Header] {
            headers.map { $0.name == name ? .init(name: name, value: value) : $0 }
        }
        func text(_ text: String) -> [UInt8] { Array(text.utf8) }
        let typed = headers
        return [
            Case(testDescription: "U+0000 in a member's name", headers: typed, value: text(#"{"x\u0000y":01}"#)),
            Case(
                testDescription: "line breaks in a member's name", headers: typed, value: text(#"{"x\ny\r\u2028":01}"#)),
            Case(
                testDescription: "a member's name of 100,000 letters", headers: typed,
                value: text("{\"\(String(repeating: "n", count: 100_000))\":01}")),
            Case(
                testDescription: "a member's name of 64 combining marks", headers: typed,
                value: text("{\"\(String(repeating: "\u{301}", count: 64))\":01}")),
            Case(
                testDescription: "names of few combining marks, one in the other", headers: typed,
                value: text(
                    "{\"\(String(repeating: "\u{301}", count: 30))\":{\"\(String(repeating: "\u{301}", count: 30))\":01}}"
                )),
            Case(testDescription: "no key, no headers, no value", key: nil, value: []),
            Case(testDescription: "an empty key", key: [], headers: typed),
            Case(testDescription: "every byte", key: Array(0...255), headers: typed, value: Array(0...255)),
            Case(
                testDescription: "every byte in a header",
                headers: [.init(name: "a\u{0}b\n", value: Array(0...255))] + typed),
            Case(testDescription: "a repeated header", headers: typed + typed),
            Case(testDescription: "U+0000 in the type", headers: changed("ce_type", text("orchard.\u{0}.v1"))),
            Case(testDescription: "U+0000 in the source", headers: changed("ce_source", text("/a\u{0}"))),
            Case(testDescription: "a subject that is none", headers: changed("ce_subject", text("\u{0}\u{FFFF}"))),
            Case(testDescription: "a type that is not UTF-8", headers: changed("ce_type", [0xff, 0xc0])),
            Case(
                testDescription: "a stream number that is none",
                headers: typed + [
                    .init(name: "ce_stream", value: text("s")), .init(name: "ce_streamseq", value: text("1e9")),
                ]),
            Case(testDescription: "a time before all times", headers: changed("ce_time", text("0000-00-00T00:00:00Z"))),
            Case(
                testDescription: "a million brackets", headers: typed,
                value: Array(repeating: UInt8(ascii: "["), count: 1_000_000)),
            Case(
                testDescription: "numbers beyond every type", headers: typed,
                value: text(#"{"revision":1e400,"partitions":-9223372036854775809,"amount":99999999999999999999}"#)),
        ]
    }()

    @Test("is stored as it is, and the partition goes on", arguments: cases)
    func stored(_ hostile: Case) async throws {
        let totals = try Shop.totals()
        try await TestLedger.with { ledger in
            try await ledger.fold(records: [hostile.record(at: 0), History().offer(1, totals).record(at: 1)])
            let rows = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.map(\.disposition) == [.unreadable, .applied])
            #expect(rows.first?.record == hostile.record(at: 0))
            let reason = try #require(rows.first?.faults?.first?.reason)
            #expect(reason.count <= 500 && !reason.contains { $0.isNewline })
            let tampered = try await ledger.audit().checks.filter { $0.section == "TAMPER" && $0.outcome == .failed }
            #expect(tampered.isEmpty)
        }
    }

    @Test("passes through Kafka unchanged")
    func throughKafka() async throws {
        try await TestJournal.with { journal in
            let totals = try Shop.totals()
            try await journal.publish(Self.cases.filter { $0.value.count < 500_000 }.map { $0.record(at: 0) })
            try await journal.publish([History().offer(1, totals).record(at: 0)])
            try await journal.fold()
            let rows = try await LedgerReader(connection: journal.ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.last?.disposition == .applied)
            #expect(rows.dropLast().allSatisfy { $0.disposition == .unreadable })
            #expect(rows.count == Self.cases.count)
        }
    }

    @Test(
        "of a newer version is not skipped: the records before it are folded, and the partition waits",
        arguments: ["/charge-gateway", "/order-ledger"])
    func newer(_ source: String) async throws {
        let totals = try Shop.totals()
        try await TestLedger.with { ledger in
            let offer = History().offer(1, totals).record(at: 0)
            let newer = Self.record(of: "orchard.payment.insured.v1", from: source, at: 1)
            let closed = History().closed(.cancelled).record(at: 2)
            // Also when it comes first, as after a restart.
            for records in [[offer, newer, closed], [offer, newer, closed], [newer, closed], [newer]] {
                let error = await #expect(throws: NewerRecord.self) { try await ledger.fold(records: records) }
                #expect(error?.description.contains("needs a newer order-ledger") == true)
            }
            let rows = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.map(\.record) == [offer])
        }
    }

    @Test("of an unknown type is a fault, and the partition goes on")
    func foreign() async throws {
        let totals = try Shop.totals()
        try await TestLedger.with { ledger in
            let foreign = Self.record(of: "orchard.payment.insured.v1", from: "/elsewhere", at: 0)
            try await ledger.fold(records: [foreign, History().offer(1, totals).record(at: 1)])
            let rows = try await LedgerReader(connection: ledger.owner).page(Shop.partition, .min ... .max).rows
            #expect(rows.map(\.disposition) == [.unreadable, .applied])
        }
    }

    private static func record(of type: String, from source: String, at offset: Int64) -> JournalRecord {
        JournalRecord(
            position: JournalPosition(partition: Shop.partition, offset: offset), key: Array("key".utf8),
            headers: [
                .init(name: "ce_type", value: Array(type.utf8)), .init(name: "ce_source", value: Array(source.utf8)),
            ], value: Array("{}".utf8))
    }
}
