import Contracts
import KafkaBridge
import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@testable import Outbox

@Suite("Dead letters")
struct DeadLetterTopicTests {
    private let record = KafkaRecord(
        topicPartition: TopicPartition(Topic.charges.name, 1), offset: 3, timestamp: 0, key: Array("k".utf8),
        value: Array("{\"card\": 6259020040003629}".utf8), headers: [])

    @Test("are read back from the topic as published, with one-line headers, and hold nothing of the record")
    func roundTrip() throws {
        let letter = DeadLetter(
            record, code: "unreadable", reason: "a\nb\u{1B}[2J" + String(repeating: "é", count: 300))
        #expect(letter.reason.utf8.count == 300 && !letter.reason.contains("\n") && !letter.reason.contains("\u{1B}"))
        let row = letter.row(source: "/charge-gateway", key: record.key, at: Timestamp(seconds: 1_700_000_000))
        #expect(row.topic == Topic.charges.deadLetters.name && row.partition == 1)
        #expect(DeadLetter(published(row, at: 0)) == letter)
        let text = String(decoding: row.value, as: UTF8.self) + row.headerLines
        #expect(!text.contains("6259"))
        let other = DeadLetter(
            code: "illegalTransition", reason: "r", place: TopicPartition(Topic.journal.name, 0), offset: 4, foundAt: 9)
        #expect(DeadLetter(published(other.row(source: "/order-ledger", key: nil), at: 0)) == other)
        #expect(
            other.row(source: "/order-ledger", key: nil, index: 1).eventID
                != other.row(source: "/order-ledger", key: nil).eventID)
    }

    @Test("are small, however long the record's key is, and still identify records of one key")
    func longKey() {
        let letter = DeadLetter(record, code: "unreadable", reason: "reason")
        func key(_ key: [UInt8]) -> [UInt8] { letter.row(source: "/charge-gateway", key: key).key }
        let order = Array("0123456789abcdef0123456789abcdef".utf8)
        #expect(key(order) == order)
        let long = [UInt8](repeating: 7, count: 999_800)
        #expect(key(long).count == 64 && key(long) == key(long) && key(long) != key(long + [7]))
    }

    @Test("can be shown for a record with any timestamp")
    func anyTime() {
        var record = record
        for (milliseconds, time) in [(Int64.max, 0), (.min, 0), (1_700_000_000_000, 1_700_000_000)] {
            record.timestamp = milliseconds
            #expect(record.written == Timestamp(seconds: Int64(time)))
        }
    }

    @Test("are listed with their places; the record is read at its place, or reported as gone")
    func topic() async throws {
        let broker = try BrokerProcess(
            topics: [Topic.charges, Topic.charges.deadLetters].map { BrokerTopic(name: $0.name, partitions: 2) })
        let kafka = KafkaConfiguration(bootstrapServers: broker.bootstrapServers, clientID: "test")
        let producer = try KafkaProducer(kafka, logger: Logger(label: "test"))
        _ = try await producer.send(
            contentsOf: (0..<5).map {
                KafkaMessage(topic: Topic.charges.name, partition: 1, key: nil, value: [UInt8($0)])
            })
        let letter = DeadLetter(record, code: "unreadable", reason: "reason")
        let row = letter.row(source: "/charge-gateway", key: nil)
        let headers = row.headers.map { KafkaHeader($0.name, $0.value) }
        let message = KafkaMessage(topic: row.topic, partition: 1, key: nil, value: row.value, headers: headers)
        let junk = KafkaMessage(topic: row.topic, partition: 1, key: nil, value: [0xFF])
        // A relay that ended after its send publishes a dead letter twice.
        _ = try await producer.send(contentsOf: [message, junk, message])
        let letters = try DeadLetterTopic(of: .charges, kafka)
        #expect(try await letters.entries().map(\.letter) == [letter])
        #expect(try await letters.entries().first?.letter.at.description == "P1@3")
        guard case .there(let original) = try await letters.original(DeadLetterPlace("P1@3")) else {
            throw CancellationError()
        }
        #expect(original.value == [3] && original.offset == 3)
        #expect(
            try await letters.original(DeadLetterPlace("P1@5")).text == "left the topic: it holds offsets 0 to 4")
        #expect(try await letters.original(DeadLetterPlace("P0@0")).text == "left the topic: the partition is empty")
    }

    @Test("have places that an operator can type", arguments: ["P3@41", "P0@0"])
    func place(text: String) throws {
        #expect(try DeadLetterPlace(text).description == text)
    }

    @Test(
        "reject every other form of a place",
        arguments: ["", "3@41", "P3", "P-1@0", "P3@", "P3@-1", "P3@41@", "p3@41", "P99999999999@1"])
    func noPlace(text: String) {
        #expect(throws: UsageError.self) { try DeadLetterPlace(text) }
    }

    private func published(_ row: OutboxRow, at offset: Int64) -> KafkaRecord {
        KafkaRecord(
            topicPartition: TopicPartition(row.topic, row.partition), offset: offset, timestamp: 0, key: row.key,
            value: row.value, headers: row.headers.map { KafkaHeader($0.name, $0.value) })
    }
}
