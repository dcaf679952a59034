import Contracts
import Ledger
import LedgerFixtures
import Testing

@testable import KafkaBridge
@testable import OrderLedger

@Suite("A batch of the journal topic")
struct JournalConsumerTests {
    private static func batch(_ facts: ArraySlice<Fact>, at offset: Int64, from start: Int64) -> PartitionBatch {
        let topic = TopicPartition(Topic.journal.name, Shop.partition)
        let records = facts.enumerated().map { index, fact in
            let record = fact.record(at: offset + Int64(index))
            return KafkaRecord(
                topicPartition: topic, offset: record.position.offset, timestamp: 0, key: record.key,
                value: record.value, headers: record.headers.map { KafkaHeader($0.name, $0.value) })
        }
        return PartitionBatch(topicPartition: topic, generation: 1, records: records, startOffset: start)
    }

    @Test("is folded from the reading position on, also when offsets before its first record have none")
    func hole() async throws {
        let history = History()
        let totals = try Shop.totals()
        let facts = [history.offer(1, totals)] + history.payment(amount: totals.amount, .accepted, .succeeded)
        try await TestLedger.with { ledger in
            try await ledger.start()
            // Between two commits a copying tool or a transaction may leave a mark that is no record.
            try await ledger.projection.apply(Self.batch(facts[..<1], at: 0, from: 0))
            try await ledger.projection.apply(Self.batch(facts[1...], at: 3, from: 1))
            let head = try #require(try await LedgerReader(connection: ledger.owner).heads()[Shop.partition])
            #expect(head.rows == 3 && head.lastOffset == 4)
        }
    }
}
