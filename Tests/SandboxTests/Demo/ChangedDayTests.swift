import Foundation
import Postgres
import TestSupport
import Testing

@Suite("A day whose books are changed behind its back, as a real process", .timeLimit(.minutes(8)))
struct ChangedDayTests {
    @Test("by one fen in the gateway's book and one in the ledger's ends with exit status 1, naming both orders")
    func oneFen() async throws {
        let folder = try TemporaryFolder()
        let demo = try TestProcess(
            "sandbox", ["demo", "--once", "--orders", "200", "--run", folder.url.path],
            ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"])
        try await demo.until { demo.log.contains("the day begins") }
        let server = try Self.server(in: folder.url)
        var changed: [String] = []
        for (book, change) in [
            (
                "gateway",
                """
                UPDATE gateway.operations SET amount = amount + 1 WHERE order_id = (
                    SELECT order_id FROM gateway.operations JOIN gateway.orders USING (partition, order_id)
                    WHERE phase = 'succeeded' AND closed_reason = 'paid' LIMIT 1) RETURNING order_id
                """
            ),
            (
                "ledger",
                """
                UPDATE ledger.payments SET amount = amount + 1 WHERE order_id = (
                    SELECT order_id FROM ledger.payments JOIN ledger.orders AS o USING (partition, order_id)
                    WHERE o.status = 'paid' ORDER BY order_id DESC LIMIT 1) RETURNING order_id
                """
            ),
        ] {
            let connection = try await PostgresConnection.connect(
                PostgresConfiguration(connectionString: "host=\(server) port=5432 user=postgres dbname=\(book)"))
            try await connection.execute("SET session_replication_role = replica")
            try await demo.until {
                guard let row = try await connection.query(change).first else { return false }
                changed.append(try row.string("order_id"))
                return true
            }
            await connection.close()
        }
        #expect(try await demo.status(within: .seconds(300)) == 1)
        // What a device is told comes from the ledger: when it asks after the change, its book is the one that differs.
        let findings = demo.log.split(separator: "\n").drop { !$0.hasSuffix("things are not as they must be:") }
        for order in changed { #expect(findings.contains { $0.contains("order \(order)") }, "\(findings)") }
    }

    /// The socket's folder of the run's own cluster.
    private static func server(in run: URL) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: run.path)
        let cluster = try #require(names.first { $0.hasPrefix("postgres-") })
        return run.appending(path: cluster).resolvingSymlinksInPath().path
    }
}
