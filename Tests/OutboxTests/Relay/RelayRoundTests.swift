import Contracts
import OrchardPostgres
import Testing

@testable import Outbox

@Suite("A relay that dies between two steps", .timeLimit(.minutes(4)))
struct RelayRoundTests {
    enum Death: String, CaseIterable, Sendable {
        case beforeNumbering, afterNumbering, afterSending, afterMarking
    }

    @Test(arguments: Death.allCases)
    func losesNothingAndKeepsEachNumber(_ death: Death) async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var dying = try await pipeline.round()
            try await dying.claim()
            var outcome = RelayRound.Outcome()
            let rows = try await dying.check(try await dying.load(), &outcome)
            #expect(rows.count == 2)
            if death != .beforeNumbering {
                let plan = try await dying.number(rows)
                if death != .afterNumbering {
                    let (delivered, _) = await dying.send(plan)
                    #expect(delivered.count == 2)
                    if death == .afterMarking { try await dying.session.mark(delivered) }
                }
            }
            await dying.session.connection.close()

            // Written before the death, seen after it: must not come between a and b.
            try await pipeline.insert(["c"])
            var next = try await pipeline.round()
            try await eventually { [pipeline] in try await pipeline.isFree() }
            let second = try await next.run()
            #expect(second.failure == nil && second.refused.isEmpty)
            #expect(second.published == (death == .afterMarking ? 1 : 3))
            #expect(try await pipeline.unpublished() == 0)

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

    @Test func sendsNothingWhoseNumberIsNotCommitted() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            var round = try await pipeline.round()
            try await round.claim()
            // Somebody numbers the stream without holding its lock, so that the round's own number is refused.
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.execute(
                "INSERT INTO shop.outbox_streams (partition, topic, last_sequence) VALUES (0, $1, 7)", [pipeline.topic])
            await owner.close()
            let outcome = try? await round.run()
            #expect(outcome?.published == nil)
            #expect(try await pipeline.published().isEmpty)
            await round.session.connection.close()
        }
    }

    @Test func leavesAPartitionToTheOneThatHoldsIt() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            var first = try await pipeline.round()
            var second = try await pipeline.round()
            try await first.claim()
            try await second.claim()
            #expect(first.held == [0] && second.held.isEmpty)
            let nothing = try await second.run()
            #expect(nothing.published == 0)
            let one = try await first.run()
            #expect(one.published == 1)
            await first.session.connection.close()
            await second.session.connection.close()
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
            var dying = try await pipeline.round()
            try await dying.claim()
            _ = try await dying.number(try await dying.load())
            await dying.session.connection.close()
            try await slow.execute("COMMIT")
            await slow.close()
            try await eventually { [pipeline] in try await pipeline.isFree() }
            var next = try await pipeline.round()
            _ = try await next.run()
            #expect(try await pipeline.published().map(\.number) == [1, 2])
            await next.session.connection.close()
        }
    }

    @Test func isRefusedWhereTheLogIsAheadOfARestoredDatabase() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            var round = try await pipeline.round()
            let first = try await round.run()
            #expect(first.published == 2)
            await round.session.connection.close()
            // As a backup from before: the rows and numbers are gone, the log is not.
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.script("TRUNCATE shop.outbox, shop.outbox_streams")
            await owner.close()
            try await pipeline.insert(["other"])
            try await eventually { [pipeline] in try await pipeline.isFree() }
            var later = try await pipeline.round()
            let outcome = try await later.run()
            #expect(outcome.published == 0)
            #expect(outcome.refused.map(\.partition) == [0])
            #expect(outcome.refused.first?.reason.contains("recover") == true)
            #expect(later.held.isEmpty)
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
            await later.session.connection.close()
        }
    }

    @Test func removesOldRowsOnlyOnceTheyArePublished() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b", "c"])
            var round = try await pipeline.round()
            _ = try await round.run()
            try await pipeline.insert(["d"])
            let session = round.session
            #expect(try await session.prune([0], olderThan: .seconds(3600), limit: 10) == 0)
            #expect(try await session.prune([0], olderThan: .zero, limit: 2) == 2)
            #expect(try await session.prune([0], olderThan: .zero, limit: 10) == 1)
            #expect(try await pipeline.unpublished() == 1)
            await session.connection.close()
        }
    }
}

extension Pipeline {
    /// Whether no relay's session is left: the server takes a moment to see that one has gone.
    func isFree() async throws -> Bool {
        let connection = try await database.connect()
        let rows = try await connection.query(
            """
            SELECT count(*) = 0 AS free FROM pg_locks
            WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
        await connection.close()
        return try rows[0].bool("free")
    }
}
