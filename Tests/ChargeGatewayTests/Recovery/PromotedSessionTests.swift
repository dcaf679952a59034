import Contracts
import OrchardPostgres
import SandboxDatabase
import Testing

@testable import ChargeGateway
@testable import Outbox

@Suite("A session that began on a standby", .timeLimit(.minutes(5)))
struct PromotedSessionTests {
    @Test("can write when it is promoted, and steps nothing of a partition before that is brought up to the log")
    func promotion() async throws {
        let primary = try await PrivateCluster.start()
        let owner = try await Self.connect(to: primary)
        try await GatewaySchema.migrator.migrate(owner)
        try await owner.execute(
            """
            INSERT INTO gateway.inbox_watermarks
                (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects)
            SELECT $1, 0, 0, 'test', server.* FROM (SELECT \(DatabaseServer.columns(of: "gateway"))) AS server
            """, [Topic.charges.name])
        let inbox = GatewayService.inbox
        #expect(try await inbox.lock(0, from: nil, on: owner) == 0)

        let standby = try await PrivateCluster.start(following: primary)
        try await standby.catchUp(with: primary)
        let session = try await Self.connect(to: standby)
        await #expect(throws: PostgresError.self) { try await inbox.lock(0, from: nil, on: session) }
        await owner.close()
        primary.crash()
        try await standby.promote()

        await #expect { try await inbox.lock(0, from: nil, on: session) } throws: {
            ($0 as? InboxError)?.code == .promoted
        }
        let identifier = try await session.query("SELECT system_identifier AS identifier FROM pg_control_system()")[0]
            .int64("identifier")
        let server = try await DatabaseServer.current(of: "gateway", on: session)
        #expect(server.identifier == identifier && server.timeline == "00000002")
        try await session.execute("UPDATE gateway.inbox_watermarks SET timeline = $1", [server.timeline])
        #expect(try await inbox.lock(0, from: nil, on: session) == 0)
        await session.close()
        await standby.stop()
        await primary.stop()
    }

    private static func connect(to cluster: PrivateCluster) async throws -> PostgresConnection {
        try await PostgresConnection.connect(PostgresConfiguration(connectionString: cluster.connectionString))
    }
}
