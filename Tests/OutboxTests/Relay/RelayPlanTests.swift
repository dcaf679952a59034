import KafkaBridge
import Testing

@testable import Outbox

@Suite("The plan of a relay's round")
struct RelayPlanTests {
    private let facts = TopicPartition("facts", 0)

    @Test func numbersNewRowsAfterTheHead() {
        let plan = RelayPlan([row("a"), row("b")], after: [facts: StreamHead(sequence: 7, offset: 40)])
        #expect(plan.records.map(\.sequence) == [8, 9])
        #expect(plan.assigned.map(\.row.eventID) == ["a", "b"])
        #expect(plan.moved == [facts: StreamHead(sequence: 9, offset: 40)])
    }

    @Test func sendsAgainWhatHasANumberAndKeepsIt() {
        let plan = RelayPlan([row("a", 7), row("b")], after: [facts: StreamHead(sequence: 7)])
        #expect(plan.records.map(\.sequence) == [7, 8])
        #expect(plan.assigned.map(\.row.eventID) == ["b"])
    }

    @Test func countsEachTopicAndPartitionByItself() {
        let rows = [row("a"), row("b", topic: "commands"), row("c", partition: 1), row("d")]
        let plan = RelayPlan(rows, after: [:])
        #expect(plan.records.map(\.sequence) == [1, 1, 1, 2])
        #expect(plan.moved.count == 3)
    }

    @Test func marksEachRecordWithItsStreamAndNumber() {
        let record = RelayPlan([row("a")], after: [:]).records[0]
        let message = record.message(stream: "shop")
        #expect(message.headers.map(\.name) == ["ce_id", "ce_stream", "ce_streamseq"])
        #expect(message.headers.compactMap(\.text) == ["a", "shop", "1"])
        #expect(message.partition == 0 && message.topic == "facts")
    }

    private func row(
        _ id: String, _ sequence: Int64? = nil, topic: String = "facts", partition: Int32 = 0
    ) -> PendingRow {
        PendingRow(
            row: OutboxRow(
                partition: partition, topic: topic, eventID: id, key: [1], headers: [("ce_id", id)], value: [2]),
            sequence: sequence)
    }
}
