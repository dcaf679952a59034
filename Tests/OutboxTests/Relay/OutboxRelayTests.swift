import Contracts
import OrchardPostgres
import OrchardServiceKit
import SandboxBroker
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
                try await eventually { try await pipeline.unpublished() == 0 }
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

    @Test func areWokenByTheCommitOfAnEvent() async throws {
        try await Pipeline.with { pipeline in
            var patient = pipeline
            patient.options.pollInterval = .seconds(3600)
            patient.options.claimInterval = .zero
            let readiness = Readiness()
            let relay = patient.relay(readiness)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await relay.run() }
                try await eventually { readiness.report.isReady }
                for id in ["a", "b"] {
                    try await pipeline.insert([id])
                    try await eventually { try await pipeline.unpublished() == 0 }
                }
                group.cancelAll()
            }
            #expect(try await pipeline.published().map(\.id) == ["a", "b"])
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
            #expect(try await pipeline.unpublished() == 0)
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
                try await eventually { try await pipeline.unpublished() == 0 }
                broker.freeze()
                try await pipeline.insert(["b"])
                try await eventually { try await pipeline.numbered() == 2 }
                shutdown.begin()
                try await group.waitForAll()
            }
            #expect(try await pipeline.unpublished() == 1)
        }
        broker.thaw()
    }

    @Test func sayWhyTheyRefuse() async throws {
        try await Pipeline.with { pipeline in
            try await pipeline.insert(["a"])
            var round = try await pipeline.round()
            _ = try await round.run()
            await round.session.connection.close()
            let owner = try await PostgresConnection.connect(pipeline.database.owner)
            try await owner.script("TRUNCATE shop.outbox, shop.outbox_streams")
            await owner.close()
            try await pipeline.insert(["b"])
            let readiness = Readiness()
            let relay = pipeline.relay(readiness)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try? await relay.run() }
                try await eventually { readiness.report.components["outbox"]?.reason.contains("recover") == true }
                #expect(!readiness.report.isReady)
                group.cancelAll()
            }
            #expect(try await pipeline.unpublished() == 1)
        }
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
