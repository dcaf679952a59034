import Contracts
import OrchardPostgres
import OrchardServiceKit
import SandboxBroker
import TestSupport
import Testing

@testable import Outbox

@Suite("Relays", .timeLimit(.minutes(4)))
struct OutboxRelayTests {
    @Test func publishAllEventsWithoutGapsWhileTheirSessionsAreKilled() async throws {
        try await Pipeline.with { pipeline in
            let ids = (0..<4).map { partition in (0..<60).map { "\(partition)-\($0)" } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try? await pipeline.relay().run() } }
                group.addTask { try await kill(pipeline, times: 6) }
                try await withThrowingTaskGroup(of: Void.self) { writers in
                    for (partition, ids) in ids.enumerated() {
                        writers.addTask {
                            for id in ids { try await pipeline.insert([id], partition: Int32(partition)) }
                        }
                    }
                    try await writers.waitForAll()
                }
                try await eventually { try await pipeline.waiting() == 0 }
                group.cancelAll()
            }
            for partition in 0..<4 {
                let published = try await pipeline.published(partition: Int32(partition))
                var sequence = StreamSequence()
                var order: [String] = []
                for record in published {
                    switch sequence.receive(record.number) {
                    case .next: order.append(record.id)
                    case .duplicate: #expect(order[Int(record.number) - 1] == record.id)
                    case .gap, .late: Issue.record("a hole at \(record.number)")
                    }
                }
                #expect(order == ids[partition])
            }
        }
    }

    @Test func publishTheOthersBesideAnEventWhoseTopicIsDamaged() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a", "b"])
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.script("UPDATE shop.outbox SET topic = repeat(U&'\\0300', 31) WHERE event_id = 'a'")
            await owner.close()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pipeline.relay().run() }
                try await eventually { try await pipeline.waiting() == 1 }
                group.cancelAll()
            }
            #expect(try await pipeline.published().map(\.id) == ["b"])
        }
    }

    @Test func areWokenByTheCommitOfAnEvent() async throws {
        try await Pipeline.with { pipeline in
            var patient = pipeline
            patient.options.pollInterval = .seconds(3600)
            let readiness = Readiness()
            let relay = patient.relay(readiness)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await relay.run() }
                try await eventually { readiness.report.isReady }
                for id in ["a", "b"] {
                    try await pipeline.insert([id])
                    try await eventually { try await pipeline.waiting() == 0 }
                }
                group.cancelAll()
            }
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
        }
    }

    @Test func areWokenByTheCommitOfAnEventInAnotherProcess() async throws {
        try await Pipeline.with { pipeline in
            var patient = pipeline
            patient.options.pollInterval = .seconds(3600)
            // Another process has another signal: its relay finds the stream held, and notifies.
            let relay = patient.relay()
            let elsewhere = try Pipeline(pipeline.database, sharing: pipeline)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await relay.run() }
                try await pipeline.insert(["a"])
                try await eventually { try await pipeline.waiting() == 0 }
                let other = Readiness()
                group.addTask { try? await elsewhere.relay(other).run() }
                try await eventually { other.report.isReady }
                try await elsewhere.insert(["b"])
                try await eventually { try await pipeline.waiting() == 0 }
                group.cancelAll()
            }
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
        }
    }

    @Test func publishTheOtherStreamsWhileOneCannotBePublished() async throws {
        try await Pipeline.with { pipeline in
            let readiness = Readiness()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await pipeline.relay(readiness).run() }
                // The topic has four partitions: the tenth never has a leader.
                try await pipeline.insert(["stuck"], partition: 9)
                try await eventually {
                    readiness.report.components["outbox"]?.reason.hasPrefix("\(pipeline.topic)/9: ") == true
                }
                #expect(!readiness.report.isReady)
                for partition in Int32(0)..<4 {
                    for round in 0..<3 {
                        try await pipeline.insert(["\(partition)-\(round)"], partition: partition)
                        try await eventually { try await pipeline.waiting() == 1 }
                    }
                }
                #expect(readiness.report.components["outbox"]?.reason.hasSuffix("the other streams go on") == true)
                group.cancelAll()
            }
            for partition in Int32(0)..<4 {
                let published = try await pipeline.published(partition: partition)
                #expect(published.map(\.number) == [1, 2, 3])
            }
        }
    }

    @Test func keepTheirSessionWhileTheyWaitForKafka() async throws {
        let broker = try BrokerProcess()
        try await ServiceDatabase.with { database in
            let pipeline = try Pipeline(database, broker: broker.bootstrapServers)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let readiness = Readiness()
                group.addTask { try? await pipeline.relay(readiness).run() }
                try await pipeline.insert(["a"])
                try await eventually { try await pipeline.waiting() == 0 }
                let session = try await sessions(pipeline)
                #expect(session.count == 1)
                broker.freeze()
                try await pipeline.insert(["b"])
                // Longer than a session may be silent.
                try await Task.sleep(for: RelaySession.idleTimeout + .seconds(2))
                #expect(try await sessions(pipeline) == session)
                #expect(readiness.report.components["outbox"]?.reason.contains("Kafka does not take events") == true)
                broker.thaw()
                try await eventually { try await pipeline.waiting() == 0 }
                // The embedded broker stores again what an idempotent producer repeats after a pause.
                let ids = try await pipeline.published().map(\.id)
                #expect(ids.first == "a" && Set(ids) == ["a", "b"], "\(ids)")
                group.cancelAll()
            }
        }
    }

    @Test func publishWhatIsThereBeforeTheyStop() async throws {
        try await Pipeline.with { pipeline in
            let shutdown = GracefulShutdown()
            let readiness = Readiness()
            let relay = pipeline.relay(readiness)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await relay.run() } }
                try await eventually { readiness.report.isReady }
                try await pipeline.insert((0..<600).map { "\($0)" })
                shutdown.begin()
                try await group.waitForAll()
            }
            #expect(try await pipeline.waiting() == 0)
        }
    }

    @Test func endSoonWhenTheyAreStoppedWhileTheBrokerHangs() async throws {
        let broker = try BrokerProcess()
        try await ServiceDatabase.with { database in
            let pipeline = try Pipeline(database, broker: broker.bootstrapServers)
            let relay = pipeline.relay()
            let shutdown = GracefulShutdown()
            try await pipeline.insert(["a"])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await GracefulShutdown.$current.withValue(shutdown) { try await relay.run() } }
                try await eventually { try await pipeline.waiting() == 0 }
                broker.freeze()
                try await pipeline.insert(["b"])
                try await eventually { try await pipeline.numbered() == 1 }
                shutdown.begin()
                try await group.waitForAll()
            }
            #expect(try await pipeline.waiting() == 1)
        }
        broker.thaw()
    }

    @Test func sayWhyTheyRefuse() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            var publisher = try await pipeline.publisher()
            _ = try await publisher.round()
            await publisher.session.connection.close()
            try await pipeline.restoreEmpty()
            try await pipeline.insert(["b"])
            let readiness = Readiness()
            let relay = pipeline.relay(readiness)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await relay.run() }
                try await eventually { readiness.report.components["outbox"]?.reason.contains("recover") == true }
                #expect(!readiness.report.isReady)
                group.cancelAll()
            }
            #expect(try await pipeline.waiting() == 1)
        }
    }

    /// The server's processes that hold locks of streams.
    private func sessions(_ pipeline: Pipeline) async throws -> Set<Int32> {
        let owner = try await PostgresConnection.connect(pipeline.database.owner)
        let rows = try await owner.query(
            """
            SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
            """)
        await owner.close()
        return Set(try rows.map { try $0.int32("pid") })
    }

    private func kill(_ pipeline: Pipeline, times: Int) async throws {
        let owner = try await PostgresConnection.connect(pipeline.database.owner)
        for _ in 0..<times {
            try await owner.execute("SELECT pg_sleep(0.1)")
            try await owner.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'
                AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """)
        }
        await owner.close()
    }
}
