import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Testing

@testable import Outbox

@Suite("A relay that ends between two steps", .timeLimit(.minutes(4)))
struct StreamPublisherTests {
    enum Death: String, CaseIterable, Sendable {
        case beforeNumbering, afterNumbering, afterSending, afterSettling
    }

    // Failure scenario 6.
    @Test(arguments: Death.allCases)
    func losesNothingAndKeepsEachNumber(_ death: Death) async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var dying = try await pipeline.publisher()
            try await dying.check()
            if death != .beforeNumbering {
                #expect(try await dying.number()?.records.map(\.sequence) == [1, 2])
                if death != .afterNumbering {
                    try await dying.send()
                    if death == .afterSettling { try await dying.settle() }
                }
            }
            await dying.session.connection.close()

            // Written before the end, visible after it: it must not come between a and b.
            try await pipeline.insert(["c"])
            var next = try await pipeline.publisher()
            var counts: [Int] = []
            repeat { counts.append(try await next.round()) } while counts.last != 0
            #expect(counts == (death == .afterSettling ? [1, 0] : death == .beforeNumbering ? [3, 0] : [2, 1, 0]))
            #expect(try await pipeline.waiting() == 0)

            let published = try await pipeline.published()
            #expect(Set(published).sorted { $0.number < $1.number }.map(\.id) == ["a", "b", "c"])
            #expect(Set(published).map(\.number).sorted() == [1, 2, 3])
            var sequence = StreamSequence()
            let gaps = published.map { sequence.receive($0.number) }.filter { $0 != .next && $0 != .duplicate }
            #expect(gaps.isEmpty)
            #expect(published.count == (death == .afterSending ? 5 : 3))
            await next.session.connection.close()
        }
    }

    @Test("continues with another session at the same point, and sends nothing twice")
    func anotherSession() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var publisher = try await pipeline.publisher()
            try await publisher.check()
            _ = try await publisher.number()
            try await publisher.send()
            await publisher.session.connection.close()
            await #expect(throws: PostgresError.self) { try await publisher.settle() }
            let other = try await pipeline.publisher()
            publisher.goOn(with: other.session)
            #expect(try await publisher.round() == 2)
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
            #expect(try await pipeline.waiting() == 0)
            await other.session.connection.close()
        }
    }

    @Test("sends nothing of a batch that a promoted standby never received")
    func forgottenBatch() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var publisher = try await pipeline.publisher()
            try await publisher.check()
            _ = try await publisher.number()
            await publisher.session.connection.close()
            try await pipeline.restoreEmpty()
            try await pipeline.insert(["c"])
            let other = try await pipeline.publisher()
            publisher.goOn(with: other.session)
            #expect(try await publisher.round() == 1)
            #expect(try await pipeline.published().map(\.id) == ["c"])
            await other.session.connection.close()
        }
    }

    @Test func sendsNothingWhoseNumberIsNotCommitted() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            var publisher = try await pipeline.publisher()
            try await publisher.check()
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.script("DROP TABLE shop.outbox_batches CASCADE")
            await owner.close()
            await #expect(throws: PostgresError.self) { try await publisher.round() }
            #expect(try await pipeline.published().isEmpty)
            await publisher.session.connection.close()
        }
    }

    @Test func leavesAStreamToTheOneThatHoldsIt() async throws {
        try await Pipeline.with { pipeline in
            let first = try await pipeline.publisher()
            let second = try await RelaySession.open(pipeline.outbox, pipeline.database.configuration)
            #expect(try await second.lock([first.stream]).isEmpty)
            let neighbour = TopicPartition(pipeline.topic, 1)
            #expect(try await second.lock([first.stream, neighbour]) == [neighbour])
            await first.session.connection.close()
            await second.connection.close()
        }
    }

    @Test func sendsWhatHasANumberBeforeWhatWasWrittenEarlierButCommittedLater() async throws {
        try await Pipeline.with { pipeline in
            let slow = try await pipeline.database.connect()
            try await slow.execute("BEGIN")
            try await pipeline.outbox.insert(
                [OutboxRow(partition: 0, topic: pipeline.topic, eventID: "slow", key: [], headers: [], value: [])],
                on: slow)
            try await pipeline.insert(["quick"])
            var dying = try await pipeline.publisher()
            _ = try await dying.number()
            await dying.session.connection.close()
            try await slow.execute("COMMIT")
            await slow.close()
            var next = try await pipeline.publisher()
            while try await next.round() > 0 {}
            #expect(try await pipeline.published().map(\.number) == [1, 2])
            await next.session.connection.close()
        }
    }

    @Test func isRefusedWhereTheLogIsAheadOfARestoredDatabase() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var publisher = try await pipeline.publisher()
            #expect(try await publisher.round() == 2)
            await publisher.session.connection.close()
            // Like a backup from before: the rows and numbers are gone, the log is not.
            try await pipeline.restoreEmpty()
            try await pipeline.insert(["other"])
            var later = try await pipeline.publisher()
            let refusal = await #expect(throws: StreamCheck.Refusal.self) { try await later.round() }
            #expect(refusal?.reason.contains("recover") == true)
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
            await later.session.connection.close()
        }
    }

    @Test("the search in a long log continues where the last one ended")
    func longLog() async throws {
        try await Pipeline.with { pipeline in
            var chunked = pipeline
            chunked.options.searchChunk = 50
            try await chunked.insert(["a"])
            var publisher = try await chunked.publisher()
            _ = try await publisher.round()
            let foreign = (0..<200).map {
                KafkaMessage(topic: pipeline.topic, partition: 0, key: nil, value: Array("\($0)".utf8))
            }
            _ = try await pipeline.producer.send(contentsOf: foreign)
            try await chunked.insert(["b"])
            // An earlier session ended at offset 151.
            let searches = LogSearches()
            let head = try await publisher.session.head(publisher.stream)
            #expect(head == StreamHead(sequence: 1, offset: 0))
            searches[publisher.stream] = LogSearch(next: 151, newest: nil)
            let looked = Locked<[String]>([])
            var hasty = chunked.options
            hasty.reportAfter = .zero
            var later = StreamPublisher(
                publisher.stream, session: publisher.session, producer: chunked.producer, reader: chunked.reader,
                options: hasty, searches: searches)
            try await later.check { text in looked.withLock { $0.append(text) } }
            #expect(looked.withLock { $0.count } == 1, "from 151 to 201 is one chunk of 50")
            #expect(searches[publisher.stream]?.next == 201)
            #expect(try await later.round() == 1)
            await publisher.session.connection.close()
        }
    }
}
