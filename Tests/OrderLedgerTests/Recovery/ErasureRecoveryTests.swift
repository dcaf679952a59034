import Contracts
import Foundation
import Ledger
import LedgerFixtures
import OrchardJSON
import OrchardPostgres
import SandboxDatabase
import TestSupport
import Testing

@testable import OrderLedger

@Suite("An erased contact and a restored database", .serialized, .timeLimit(.minutes(10)))
struct ErasureRecoveryTests {
    @Test("order-ledger recover erases again what was erased after the backup")
    func restored() async throws {
        try await LedgerDeployment.with { deployment in
            let ledger = try deployment.ledger()
            var opened: (status: String, json: JSONValue)?
            try await ledger.until {
                opened = try await deployment.ask(ledger, "/v1/orders", key: "k", body: Shop.request.json)
                return opened?.status == "201"
            }
            let order = try #require(opened?.json["orderId"]?.string)
            try await ledger.until { try await deployment.facts() == 1 }
            // As if the gateway had closed it: the books are not looked at here.
            try await deployment.owner.execute("UPDATE ledger.orders SET status = 'expired'")
            try await deployment.owner.execute(
                """
                INSERT INTO ledger.contacts (partition, order_id, payment_id, merchant_id, received_at, contact, next_check)
                SELECT partition, order_id, gen_random_uuid(), merchant_id, now(), '{}', now() + interval '1 hour'
                FROM ledger.orders
                """)
            try await deployment.owner.execute(
                """
                INSERT INTO ledger.webhook_messages (partition, order_id, endpoint, message_id, merchant_id, "offset", line,
                    event, body, tried_from, due_at)
                SELECT partition, order_id, 'erp', gen_random_uuid(), merchant_id, 0, 0, 'order.paid', '{}', now(), now()
                FROM ledger.orders
                """)
            let dump = deployment.folder.url.appending(path: "dump.sql")
            try await PrivateCluster.dump(deployment.database.configuration.connectionString, to: dump)
            let erased = try await deployment.ask(ledger, "/v1/orders/\(order)/contact", method: "DELETE")
            #expect(erased.status == "204", "\(erased)")
            // Kafka has it.
            try await ledger.until {
                try await deployment.owner.query("SELECT 1 FROM ledger.outbox").isEmpty
            }
            ledger.signal(SIGKILL)
            _ = try await ledger.status()

            let name = "\(deployment.database.name)_restored"
            let url = "\(deployment.database.configuration.connectionString) dbname=\(name)"
            try await deployment.owner.execute("CREATE DATABASE \(name)")
            try await PrivateCluster.restore(dump, to: url)
            let copy = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            #expect(try await copy.query("SELECT 1 FROM ledger.contacts").count == 1, "the backup has it")
            let recovery = try await deployment.run(
                ["recover", "--restored"], ["POSTGRES_URL": "\(url) user=\(deployment.database.name)"])
            #expect(recovery.status == 0, "\(recovery)")
            #expect(try await copy.query("SELECT 1 FROM ledger.contacts").isEmpty)
            #expect(try await copy.query("SELECT 1 FROM ledger.contact_erasures").count == 1)
            // The lost database may have sent it.
            #expect(try await copy.query("SELECT 1 FROM ledger.webhook_messages WHERE state = 'parked'").count == 1)
            #expect(
                try await copy.query(
                    "SELECT 1 FROM ledger.webhook_starts s JOIN ledger.orders USING (partition) "
                        + "WHERE s.first_offset = 1"
                ).count == 1)
            await copy.close()
            try await deployment.owner.execute("DROP DATABASE \(name) WITH (FORCE)")
        }
    }
}
