import Contracts
import Ledger
import LedgerFixtures
import OrchardPostgres
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger dlq, as a real process", .serialized, .timeLimit(.minutes(6)))
struct DeadLettersCommandTests {
    /// A record whose value is not a fact.
    private static func unreadable(_ fact: Fact, at offset: Int64, sequence: Int64) -> JournalRecord {
        let record = fact.record(at: offset, sequence: sequence)
        return JournalRecord(
            position: record.position, key: record.key, headers: record.headers, value: Array("{}".utf8))
    }

    @Test("lists and shows records that could not be applied, and reports how this version reads them")
    func replayed() async throws {
        try await TestJournal.with { journal in
            func dlq(_ arguments: [String]) async throws -> (status: Int32, output: String) {
                let process = try TestProcess(
                    "order-ledger", ["dlq"] + arguments,
                    journal.settings.merging(["POSTGRES_URL": journal.ledger.service.connectionString]) { $1 })
                return (try await process.status(), process.log)
            }
            let history = History()
            let opened = history.offer(1, try Shop.totals())
            let foreign = JournalRecord(
                position: JournalPosition(partition: Shop.partition, offset: 2), key: opened.record(at: 2).key,
                headers: history.offer(2, try Shop.totals()).record(at: 2, sequence: 3).headers.filter {
                    $0.name != "ce_stream" && $0.name != "ce_streamseq"
                }, value: history.offer(2, try Shop.totals()).record(at: 2).value)
            try await journal.publish([
                opened.record(at: 0, sequence: 1),
                Self.unreadable(history.offer(2, try Shop.totals()), at: 1, sequence: 2),
                foreign,
            ])
            try await journal.fold()
            try await journal.relay()
            let place = "P\(Shop.partition)"

            let list = try await dlq(["list"])
            let lines = list.output.split(separator: "\n")
            #expect(list.status == 0 && lines.map { $0.prefix(6) } == ["\(place)@1  ", "\(place)@2  "], "\(list)")
            let show = try await dlq(["show", "\(place)@1"])
            #expect(show.status == 0 && show.output.contains("the record    is there: 2 bytes"), "\(show)")
            let unreadable = try await dlq(["replay", "\(place)@1"])
            #expect(
                unreadable.status == 1 && unreadable.output.hasPrefix("\(place)@1  this version cannot read it: "),
                "\(unreadable)")
            let taken = try await dlq(["replay", "\(place)@0"])
            #expect(taken == (0, "\(place)@0  in the books: applied at \(place)@0\n"), "\(taken)")
            let all = try await dlq(["replay", "--all"])
            #expect(all.status == 1 && all.output.split(separator: "\n").count == 2, "\(all)")
            let gone = try await dlq(["replay", "\(place)@99"])
            #expect(gone.status == 1, "\(gone)")
            #expect(gone.output == "\(place)@99  left the topic: it holds offsets 0 to 2\n", "\(gone.output)")
            // The command only reads.
            #expect(try await journal.ledger.owner.query("SELECT 1 FROM ledger.facts").count == 3)
            #expect(try await journal.ledger.owner.query("SELECT 1 FROM ledger.outbox").isEmpty)
            #expect(try await journal.ledger.audit().checks.contains { $0.outcome == .failed }, "the books lack them")
        }
    }

    @Test(
        "reports what is wrong with a command line",
        arguments: [
            ([], "a command is missing"), (["show"], "PLACE is missing"),
            (["show", "41"], "a place is written like P3@41"),
            (["list", "P3@41"], "unexpected argument"), (["list"], "kafka.bootstrap.servers"),
            (["replay", "P3"], "a place is written like P3@41"), (["replay"], "name a PLACE, or give --all"),
            (["replay", "--all", "P3@41"], "not both"),
        ] as [([String], String)])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let process = try TestProcess("order-ledger", ["dlq"] + arguments, [:])
        #expect(try await process.status() == 2)
        #expect(process.log.contains(error), "\(process.log)")
    }
}
