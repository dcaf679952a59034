import OrchardHTTPAdmin
import OrchardHTTPServer
import OrchardServiceKit
import Testing

@Suite struct HealthCommandTests {
    private func status(_ arguments: [String], port: Int) async -> Int32 {
        let program = CommandLineProgram(
            version: "0",
            root: Command(
                name: "test", summary: "a service", subcommands: [HealthCommand.command("test", defaultPort: 9081)]))
        return await program.run(["health", "--admin-port", "\(port)"] + arguments, output: { _ in }, errors: { _ in })
    }

    @Test func tellsLifeAndReadinessByItsStatus() async throws {
        let readiness = Readiness()
        readiness.set("kafka", ready: false, reason: "no broker answers")
        let server = AdminServer(
            configuration: HTTPServerConfiguration(host: "127.0.0.1", port: 0), readiness: readiness,
            metrics: MetricsRegistry())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            let port = try await server.boundPort
            #expect(await status([], port: port) == 0)
            #expect(await status(["--ready"], port: port) == 1)
            readiness.set("kafka", ready: true, reason: "connected")
            #expect(await status(["--ready"], port: port) == 0)
            group.cancelAll()
        }
    }

    @Test func nobodyWhoAnswersIsNotAlive() async {
        #expect(await status([], port: 1) == 1)
    }
}
