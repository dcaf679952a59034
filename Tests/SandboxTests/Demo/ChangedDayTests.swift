import Foundation
import OrchardPostgres
import TestSupport
import Testing

@Suite("A day whose books are changed from outside, as a real process", .timeLimit(.minutes(8)))
struct ChangedDayTests {
    @Test("by one fen in the gateway's book and one in the ledger's ends with exit status 1, naming both orders")
    func oneFen() async throws {
        let folder = try TemporaryFolder()
        let demo = try TestProcess(
            "sandbox", ["demo", "--once", "--orders", "200", "--run", folder.url.path],
            ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        try await demo.until { demo.log.contains("the day begins") }
        // The acquirer and the shops stand still while this looks for rows: the day does not end before there are some.
        demo.signal(SIGSTOP)
        let server = try Self.server(in: folder.url)
        /// Changes a row as soon as there is one, and returns its order.
        func change(_ book: String, _ sql: String, _ parameters: [any PostgresEncodable] = []) async throws -> String {
            let connection: PostgresConnection
            do {
                connection = try await PostgresConnection.connect(
                    PostgresConfiguration(connectionString: "host=\(server) port=5432 user=postgres dbname=\(book)"))
            } catch {
                Issue.record("the demo wrote: \(demo.log.suffix(4_000))")
                throw error
            }
            try await connection.execute("SET session_replication_role = replica")
            var order: String?
            try await demo.until {
                demo.signal(SIGCONT)
                try await Task.sleep(for: .milliseconds(100))
                demo.signal(SIGSTOP)
                order = try await connection.query(sql, parameters).first?.string("order_id")
                return order != nil
            }
            await connection.close()
            return try #require(order)
        }
        let inGateway = try await change(
            "gateway",
            """
            UPDATE gateway.operations SET amount = amount + 1 WHERE order_id = (
                SELECT order_id FROM gateway.operations JOIN gateway.orders USING (partition, order_id)
                WHERE phase = 'succeeded' AND closed_reason = 'paid' LIMIT 1) RETURNING replace(order_id::text, '-', '') AS order_id
            """)
        let inLedger = try await change(
            "ledger",
            """
            UPDATE ledger.payments SET amount = amount + 1 WHERE order_id = (
                SELECT order_id FROM ledger.payments JOIN ledger.orders AS o USING (partition, order_id)
                WHERE o.status = 'paid' AND order_id <> $1::uuid LIMIT 1) RETURNING replace(order_id::text, '-', '') AS order_id
            """, [inGateway])
        demo.signal(SIGCONT)
        #expect(try await demo.status(within: .seconds(300)) == 1)
        let findings = demo.log.split(separator: "\n").drop { !$0.hasSuffix("things are not as they must be:") }
        #expect(findings.contains { $0.hasPrefix("  - gateway, order \(inGateway)") }, "\(findings)")
        // A device reads its outcome from the ledger: when it polls after the change, the device's book is the one that
        // differs.
        let places = ["  - ledger, order \(inLedger)", "  - device, order \(inLedger)"]
        #expect(findings.contains { finding in places.contains { finding.hasPrefix($0) } }, "\(findings)")
    }

    /// The socket's folder of the run's own cluster.
    private static func server(in run: URL) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: run.path)
        let cluster = try #require(names.first { $0.hasPrefix("postgres-") })
        return run.appending(path: cluster).resolvingSymlinksInPath().path
    }
}
