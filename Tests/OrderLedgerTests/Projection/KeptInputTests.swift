import Contracts
import Foundation
import Ledger
import LedgerFixtures
import TestSupport
import Testing

@testable import OrderLedger

@Suite("Inputs of the journal that the fuzzer kept")
struct KeptInputTests {
    private static let folder = Checkout.root.appending(path: "Tests/Fuzz/Corpus/JournalRecord")

    @Test("can be stored, and sent to PostgreSQL")
    func hold() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
        #expect(!names.isEmpty)
        for name in names {
            let bytes = Array(try Data(contentsOf: Self.folder.appending(path: name)))
            #expect(JournalRecordProperties.violation(bytes) == nil, "\(name)")
        }
    }

    @Test("Real facts with any bytes changed can be stored, and sent to PostgreSQL")
    func changedFacts() throws {
        var history = History()
        history.partitions = 1
        let totals = try Shop.totals()
        let facts =
            [history.offer(1, totals)]
            + history.payment(amount: totals.amount, .accepted, .unknown, .succeeded)
            + [
                history.commandRejected(1),
                history.fact(Shop.paymentID(2), transition: 1, amount: totals.amount, .refused),
            ]
        let dispositions = Set(PartitionBook.reading(facts, partition: 0).rows.map(\.disposition))
        #expect(dispositions == [.applied])
        let text = Self.text(of: facts.enumerated().map { $1.record(at: Int64($0), partition: 0) })
        #expect(JournalRecordProperties.violation(text) == nil)
        var random = SplitMix64(seed: 8)
        let digits = Array("0123456789".utf8)
        for _ in 0..<2_000 {
            var changed = text
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: changed.indices, using: &random)
                // An added digit makes a number larger; any other byte breaks something else.
                if digits.contains(changed[index]), Bool.random(using: &random) {
                    changed.insert(UInt8(ascii: "9"), at: index)
                } else {
                    changed[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let violation = JournalRecordProperties.violation(changed)
            #expect(violation == nil, "\(String(decoding: changed, as: UTF8.self))")
        }
    }

    /// The records as ``JournalRecordProperties`` reads them.
    private static func text(of records: [JournalRecord]) -> [UInt8] {
        let texts = records.map { record in
            let headers = record.headers.map { Array("\n\($0.name): ".utf8) + $0.value }
            return (record.key ?? []) + headers.flatMap { $0 } + [0x0a, 0x0a] + record.value
        }
        return Array(texts.joined(separator: Array("\n--\n".utf8)))
    }
}
