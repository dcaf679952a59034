import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import TestSupport
import Testing

@testable import Outbox

@Suite("What streams want of a relay's session", .timeLimit(.minutes(4)))
struct RelayTurnTests {
    private func turns(_ streams: [TopicPartition]) -> [RelayTurn] { streams.map { RelayTurn(stream: $0, limit: 10) } }

    private func ids(_ batch: StreamBatch?) -> [String] { batch?.records.map(\.row.eventID) ?? [] }

    @Test("is one transaction for several streams, each with its own events and numbers")
    func together() async throws {
        try await Pipeline.with { pipeline in
            let streams = (0..<4).map { TopicPartition(pipeline.topic, $0) }
            for partition: Int32 in 0..<3 {
                try await pipeline.insert(["a\(partition)", "b\(partition)"], partition: partition)
            }
            let connection = try await pipeline.database.connect()
            let numbered = try await RelayTurn.perform(turns(streams.reversed()), in: "shop", on: connection)
                .map { try $0.get() }
            #expect(numbered.map(ids) == [[], ["a2", "b2"], ["a1", "b1"], ["a0", "b0"]])
            #expect(numbered.dropFirst().allSatisfy { $0?.first == 1 })
            let transactions = try await connection.query("SELECT DISTINCT numbered_by::text FROM shop.outbox_batches")
            #expect(transactions.count == 1)

            // One is deleted and numbers its next; one has none yet; one only asks again.
            try await pipeline.insert(["c0"], partition: 0)
            let next = try await RelayTurn.perform(
                [
                    RelayTurn(stream: streams[1], limit: 10),
                    RelayTurn(stream: streams[0], acknowledged: (first: 1, offset: 7), limit: 10),
                    RelayTurn(stream: streams[3], limit: 10),
                ], in: "shop", on: connection
            ).map { try $0.get() }
            #expect(next.map(ids) == [["a1", "b1"], ["c0"], []])
            #expect(next[1]?.first == 3)
            let head = try await RelaySession(outbox: pipeline.outbox, connection: connection).head(streams[0])
            #expect(head == StreamHead(sequence: 3, offset: 7))
            await connection.close()
        }
    }

    @Test("takes a thousand events at most, of all streams together")
    func bounded() async throws {
        try await Pipeline.with { pipeline in
            let streams = (0..<4).map { TopicPartition(pipeline.topic, $0) }
            for partition: Int32 in 0..<4 {
                try await pipeline.insert((0..<300).map { "a\(partition).\($0)" }, partition: partition)
            }
            let connection = try await pipeline.database.connect()
            let numbered = try await RelayTurn.perform(
                streams.map { RelayTurn(stream: $0, limit: 500) }, in: "shop", on: connection
            ).map { try $0.get() }
            #expect(numbered.map { $0?.records.count } == [250, 250, 250, 250])
            await connection.close()
        }
    }

    @Test("is the next transaction, for all that asked while the session was busy")
    func gathers() async throws {
        try await Pipeline.with { pipeline in
            for partition: Int32 in 0..<6 { try await pipeline.insert(["a\(partition)"], partition: partition) }
            let session = RelaySession(outbox: pipeline.outbox, connection: try await pipeline.database.connect())
            try await withThrowingTaskGroup(of: [String].self) { group in
                group.addTask {
                    try await session.connection.execute("SELECT pg_sleep(0.5)")
                    return []
                }
                // The connection is busy from here on.
                try await Task.sleep(for: .milliseconds(100))
                for partition: Int32 in 0..<6 {
                    group.addTask {
                        let batch = try await session.number(TopicPartition(pipeline.topic, partition), limit: 10)
                        return batch?.records.map(\.row.eventID) ?? []
                    }
                }
                let found = try await group.reduce(into: []) { $0 += $1 }
                #expect(found.sorted() == (0..<6).map { "a\($0)" })
            }
            let transactions = try await session.connection.query(
                "SELECT DISTINCT numbered_by::text FROM shop.outbox_batches")
            #expect(transactions.count <= 2)
            await session.connection.close()
        }
    }

    @Test("fails for the stream alone whose events are gone")
    func missing() async throws {
        try await Pipeline.with { pipeline in
            let streams = (0..<3).map { TopicPartition(pipeline.topic, $0) }
            for partition: Int32 in 0..<3 { try await pipeline.insert(["a\(partition)"], partition: partition) }
            let session = RelaySession(outbox: pipeline.outbox, connection: try await pipeline.database.connect())
            var batches: [StreamBatch] = []
            for stream in streams { batches.append(try #require(try await session.number(stream, limit: 10))) }
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.execute("DELETE FROM shop.outbox WHERE partition = 1")
            let numbered = try await RelayTurn.perform(turns(streams), in: "shop", on: session.connection)
            #expect(numbered.map { (try? $0.get()).map(ids) } == [["a0"], nil, ["a2"]])

            // In the database the whole transaction fails: each is tried alone then.
            let results = await withTaskGroup(of: (Int, Bool).self) { [batches] group in
                for (index, batch) in batches.enumerated() {
                    group.addTask {
                        do {
                            _ = try await session.settle(batch, of: streams[index], acknowledged: 5, thenNumber: 10)
                            return (index, true)
                        } catch {
                            return (index, false)
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
            #expect(results == [0: true, 1: false, 2: true])
            let left = try await owner.query("SELECT partition FROM shop.outbox_batches")
            #expect(try left.map { try $0.int32("partition") } == [1])
            await owner.close()
            await session.connection.close()
        }
    }
}
