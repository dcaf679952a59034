import Foundation
import OrchardServiceKit
import SandboxBroker
import SandboxDatabase

/// `sandbox servers`: a private PostgreSQL cluster and an embedded broker for the duration of one command.
enum ServersProgram {
    static let command = Command(
        name: "servers", summary: "run a command with a private PostgreSQL cluster and an embedded Kafka broker",
        discussion: """
            The command finds them by ORCHARD_TEST_POSTGRES (a libpq connection string of a superuser) and \
            ORCHARD_TEST_KAFKA (host:port; Orchard's topics are there, with four partitions each). Its exit code becomes this \
            program's. PG_BIN chooses another PostgreSQL.
            """,
        arguments: [.init("COMMAND", help: "The command and its arguments, after --.", isRepeatable: true)],
        options: [.value("run", "DIR", help: "Where the cluster lives, default .run.")],
        examples: [.init("sandbox servers -- swift test", "run the tests")],
        body: run)

    private static func run(_ invocation: Invocation) async throws -> Int32 {
        let cluster = try await PrivateCluster.start(in: URL(filePath: invocation[option: "run"] ?? ".run"))
        let code: Int32
        do {
            code = try await serve(invocation.arguments, cluster)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
        return code
    }

    private static func serve(_ arguments: [String], _ cluster: PrivateCluster) async throws -> Int32 {
        let broker = try EmbeddedBroker(topics: BrokerTopic.ofOrchard)
        let child = ChildProgram(
            arguments,
            environment: [
                "ORCHARD_TEST_POSTGRES": cluster.connectionString, "ORCHARD_TEST_KAFKA": broker.bootstrapServers,
            ])
        // The group passes Ctrl-C and SIGTERM to the command and waits for it.
        let group = ServiceGroup(
            services: [child], logger: Logger(label: "servers"), maximumShutdownDuration: .seconds(3600))
        do { try await group.run() } catch let exit as ChildProgram.Exit { return exit.code }
        return 128 + SIGTERM
    }
}
