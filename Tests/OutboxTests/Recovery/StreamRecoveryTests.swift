import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import Outbox

@Suite("A stream whose database has lost what it published", .timeLimit(.minutes(4)))
struct StreamRecoveryTests {
    /// Publishes `a`, `b` and `c`, then goes back to a backup from before.
    private static func forgetful(_ body: (Pipeline, [PublishedEvent]) async throws -> Void) async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b", "c"])
            try await publish(pipeline)
            try await pipeline.restoreEmpty()
            let found = Locked<[PublishedEvent]>([])
            _ = try await pipeline.reader.read(TopicPartition(pipeline.topic, 0), from: 0) { records in
                found.withLock { $0 += records.compactMap { PublishedEvent($0, of: "shop") } }
            }
            try await body(pipeline, found.withLock { $0 })
        }
    }

    private static func publish(_ pipeline: Pipeline) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try? await pipeline.relay().run() }
            try await eventually { try await pipeline.waiting() == 0 }
            group.cancelAll()
        }
    }

    private static func recover(_ pipeline: Pipeline, _ events: [PublishedEvent]) async throws -> [String] {
        let connection = try await pipeline.database.connect()
        let others = try await connection.transaction { connection in
            try await pipeline.outbox.recover(
                TopicPartition(pipeline.topic, 0), published: events, on: connection)
        }
        await connection.close()
        return others
    }

    @Test("continues from the log's last number, and does not publish twice what still waited in the backup")
    func goesOn() async throws {
        try await Self.forgetful { pipeline, events in
            #expect(events.map(\.sequence) == [1, 2, 3])
            try await pipeline.insert(["b", "d"])
            #expect(try await Self.recover(pipeline, events).isEmpty)
            // A second run changes nothing.
            #expect(try await Self.recover(pipeline, events).isEmpty)
            try await Self.publish(pipeline)
            let published = try await pipeline.published()
            #expect(published.map(\.id) == ["a", "b", "c", "d"] && published.map(\.number) == [1, 2, 3, 4])
        }
    }

    @Test("names the events that wait with another content than the published one, and does not publish them")
    func contradicts() async throws {
        try await Self.forgetful { pipeline, events in
            let connection = try await pipeline.database.connect()
            try await pipeline.outbox.insert(
                [
                    OutboxRow(
                        partition: 0, topic: pipeline.topic, eventID: "b", key: [1], headers: [("ce_id", "b")],
                        value: Array("something else".utf8))
                ], on: connection)
            await connection.close()
            #expect(try await Self.recover(pipeline, events) == ["b"])
            #expect(try await pipeline.waiting() == 0)
        }
    }

    @Test("keeps a batch of which the log has a part, and sends it again under its numbers")
    func partOfABatch() async throws {
        try await Self.forgetful { pipeline, events in
            try await pipeline.insert(["a", "b", "c"])
            let publisher = try await pipeline.publisher()
            let stream = TopicPartition(pipeline.topic, 0)
            _ = try await publisher.session.number(stream, limit: 10)
            #expect(try await Self.recover(pipeline, Array(events.prefix(2))).isEmpty)
            #expect(try await pipeline.waiting() == 3)
            #expect(try await pipeline.numbered() == 3)
            #expect(try await Self.recover(pipeline, events).isEmpty)
            #expect(try await pipeline.waiting() == 0)
            #expect(try await pipeline.numbered() == 0)
            await publisher.session.connection.close()
        }
    }

    @Test("never removes an event that has no number")
    func guarded() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            try await Self.publish(pipeline)
            try await pipeline.insert(["secret"])
            let connection = try await pipeline.database.connect()
            await #expect {
                try await connection.execute(
                    "SELECT shop.outbox_recover($1, $2, $3, $4, $5)",
                    [Int32(0), pipeline.topic, ["secret"], Int64(1), Int64(0)])
            } throws: {
                ($0 as? PostgresError)?.sqlState == "P0001"
            }
            await connection.close()
            #expect(try await pipeline.waiting() == 1)
        }
    }
}

@Suite("What a partition needs")
struct RecoverySituationTests {
    private static let here = DatabaseServer(identifier: 1, timeline: "00000001", objects: "5/6")

    static let cases: [(String, RecoverySituation, RecoverySituation.Need)] = [
        ("new", situation(next: nil), .nothing), ("goes on", situation(next: 40, committed: 40), .nothing),
        ("a database that has never seen it", situation(next: nil, committed: 40), .person),
        ("restored on the same server", situation(next: 30, committed: 40), .person),
        ("refused before", situation(next: 40, refusal: "restored"), .person),
        (
            "promoted",
            situation(next: 30, committed: 40, server: .init(identifier: 1, timeline: "00000002", objects: "5/6")),
            .promotion
        ),
        (
            "another server", situation(next: 40, server: .init(identifier: 2, timeline: "00000001", objects: "5/6")),
            .person
        ),
        (
            "a dump on the same server",
            situation(next: 40, server: .init(identifier: 1, timeline: "00000001", objects: "7/8")), .person
        ),
        (
            "a dump on a promoted standby",
            situation(next: 40, server: .init(identifier: 1, timeline: "00000002", objects: "7/8")), .person
        ),
        ("another Kafka", situation(next: 40, cluster: "B"), .person),
        ("a log that lost its end", situation(next: 101), .person),
        ("a recreated log that has grown", situation(next: 40, isLastThere: false), .person),
        ("the same log", situation(next: 40, isLastThere: true), .nothing),
        (
            "promoted, but refused before",
            situation(
                next: 30, server: .init(identifier: 1, timeline: "00000002", objects: "5/6"), refusal: "restored"),
            .person
        ),
    ]

    @Test(
        "marks a log up to its end and never back, and one that is read anew no higher than its end and what was committed",
        arguments: [
            (next: 40, before: 90, committed: 40, isReadAnew: false, mark: 100),
            (next: 40, before: 400, committed: 40, isReadAnew: false, mark: 400),
            (next: 40, before: 400, committed: nil, isReadAnew: true, mark: 100),
            (next: 101, before: 400, committed: 101, isReadAnew: true, mark: 101),
        ] as [(next: Int64, before: Int64, committed: Int64?, isReadAnew: Bool, mark: Int64)])
    func marks(_ row: (next: Int64, before: Int64, committed: Int64?, isReadAnew: Bool, mark: Int64)) {
        let situation = Self.situation(next: row.next, mark: row.before, committed: row.committed)
        #expect(situation.mark(to: 100, isReadAnew: row.isReadAnew) == row.mark)
    }

    private static func situation(
        next: Int64?, mark: Int64 = 0, committed: Int64? = nil, cluster: String = "A", server: DatabaseServer = here,
        refusal: String? = nil, isLastThere: Bool? = nil
    ) -> RecoverySituation {
        RecoverySituation(
            partition: 3,
            watermark: next.map {
                Watermark(nextOffset: $0, count: $0, clusterID: "A", server: here, refusal: refusal, mark: mark)
            },
            server: server, clusterID: cluster, low: 0, high: 100, committed: committed,
            isLastThere: isLastThere)
    }

    @Test("follows from watermark, server and log", arguments: cases)
    func needs(_ name: String, _ situation: RecoverySituation, _ need: RecoverySituation.Need) {
        #expect(situation.need == need, "\(name)")
    }
}
