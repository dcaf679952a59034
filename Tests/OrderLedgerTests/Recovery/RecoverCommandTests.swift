import Contracts
import Foundation
import Ledger
import LedgerFixtures
import OrchardCrypto
import OrchardJSON
import OrchardPostgres
import SandboxDatabase
import TestSupport
import Testing

@testable import OrderLedger

@Suite("order-ledger recover, as a real process", .serialized, .timeLimit(.minutes(8)))
struct RecoverCommandTests {
    private static let request = Shop.request.json

    /// A copy of the deployment's database as it was, and the settings that lead a ledger there.
    private static func withCopy(
        of deployment: LedgerDeployment, _ change: () async throws -> Void,
        _ body: (PostgresConnection, [String: String]) async throws -> Void
    ) async throws {
        let dump = deployment.folder.url.appending(path: "dump.sql")
        try await PrivateCluster.dump(deployment.database.configuration.connectionString, to: dump)
        try await change()
        let name = "\(deployment.database.name)_restored"
        let url = "\(deployment.database.configuration.connectionString) dbname=\(name)"
        try await deployment.owner.execute("CREATE DATABASE \(name)")
        try await PrivateCluster.restore(dump, to: url)
        let copy = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        try await body(copy, ["POSTGRES_URL": "\(url) user=\(deployment.database.name)"])
        await copy.close()
        try await deployment.owner.execute("DROP DATABASE \(name) WITH (FORCE)")
    }

    private static func id(_ answer: (status: String, json: JSONValue)) throws -> String {
        try #require(answer.json["orderId"]?.string, "\(answer)")
    }

    @Test("lists what a restored dump lacks, recovers on command, and every Idempotency-Key keeps its order")
    func restoredDump() async throws {
        try await LedgerDeployment.with { deployment in
            let first = try deployment.ledger()
            func open(_ ledger: TestProcess, _ key: String) async throws -> (status: String, json: JSONValue) {
                try await deployment.ask(ledger, "/v1/orders", key: key, body: Self.request)
            }
            func opened(_ ledger: TestProcess, _ key: String) async throws -> (status: String, json: JSONValue) {
                var answer = try await open(ledger, key)
                try await ledger.until {
                    if answer.status == "503" { answer = try await open(ledger, key) }
                    return answer.status != "503"
                }
                return answer
            }
            let kept = try await opened(first, "kept")
            try await first.until { try await deployment.facts() == 1 }
            let nothing = try await deployment.run(["recover"])
            #expect(nothing.status == 0 && nothing.output.contains("partition 0: goes on as it is\n"), "\(nothing)")

            var lost: (status: String, json: JSONValue)?
            try await Self.withCopy(of: deployment) {
                let ticket = try #require(kept.json["ticket"]?.string)
                let repriced = try await deployment.ask(
                    first, "/v1/orders/\(try Self.id(kept))/shipping-method", bearer: ticket,
                    body: Array(#"{"shippingMethod":"courier"}"#.utf8))
                #expect(repriced.status == "200", "\(repriced)")
                lost = try await open(first, "lost")
                try await first.until { try await deployment.facts() == 3 }
                first.signal(SIGKILL)
                _ = try await first.status()
            } _: { copy, settings in
                let second = try deployment.ledger(settings)
                let answer = try #require(lost)
                let order = try #require(OrderID(try Self.id(answer)))
                try await second.until {
                    try await !copy.query(
                        "SELECT 1 FROM ledger.inbox_watermarks WHERE refusal IS NOT NULL AND partition = $1",
                        [Partitioner.partition(of: order, among: Shop.partitions)]
                    ).isEmpty
                }
                // The row is written before the log line.
                try await second.until { second.log.contains("Run `order-ledger recover --restored`") }
                let early = try await open(second, "lost")
                #expect(early.status == "503", "\(early)")
                second.signal(SIGKILL)
                _ = try await second.status()

                let listing = try await deployment.run(["recover"], settings)
                #expect(listing.status == 1)
                #expect(listing.output.contains("the log has 1 events of ours that it does not know"), "\(listing)")
                #expect(try await copy.query("SELECT 1 FROM ledger.inbox_recoveries").isEmpty, "it changes nothing")
                let recovery = try await deployment.run(["recover", "--restored"], settings)
                #expect(recovery.status == 0)
                for partition in 0..<4 {
                    #expect(recovery.output.contains("partition \(partition): recovered with "), "\(recovery)")
                }
                #expect(try await copy.query("SELECT 1 FROM ledger.inbox_recoveries").count == 4)

                let third = try deployment.ledger(settings)
                let again = try await opened(third, "lost")
                #expect(again.status == "201", "\(again)")
                #expect(try Self.id(again) == "\(order)")
                #expect(again.json["revision"]?.integer == 1)
                #expect(try await open(third, "kept").json["revision"]?.integer == 2, "the published price")
                let shown = try await deployment.ask(third, "/v1/orders/\(try Self.id(again))")
                #expect(shown.status == "200" && shown.json["status"]?.string == "open", "\(shown)")
                try await third.until { try await deployment.facts(copy) == 3 }
                third.signal(SIGTERM)
                #expect(try await third.status() == 0, "\(third.log.suffix(2_000))")
                for command in ["audit", "replay"] {
                    let proof = try await deployment.run([command], settings)
                    #expect(proof.status == 0, "\(command): \(proof.output)")
                }
                #expect(try await deployment.run(["recover"], settings).status == 0)
            }
        }
    }

    @Test("is refused for books that do not belong to this log")
    func foreignBooks() async throws {
        try await LedgerDeployment.with { deployment in
            let ledger = try deployment.ledger()
            try await ledger.until {
                try await deployment.ask(ledger, "/v1/orders", key: "k", body: Self.request).status == "201"
            }
            try await ledger.until { try await deployment.facts() == 1 }
            ledger.signal(SIGTERM)
            #expect(try await ledger.status() == 0)
            let another = JournalRecord(
                position: JournalPosition(partition: 0, offset: 0), key: nil, headers: [], value: Array("another".utf8))
            try await deployment.owner.script(
                """
                ALTER TABLE ledger.facts DISABLE TRIGGER USER;
                UPDATE ledger.facts SET record = '\\x\(Hex.encode(another.packed ?? []))';
                ALTER TABLE ledger.facts ENABLE ALWAYS TRIGGER facts_append_only;
                """)
            let recovery = try await deployment.run(["recover", "--restored"])
            #expect(recovery.status == 1)
            #expect(recovery.output.contains("the journal has another record at this offset than the books"))
            try await deployment.owner.script(
                """
                ALTER TABLE ledger.facts DISABLE TRIGGER USER;
                UPDATE ledger.facts SET record = record || ' ';
                ALTER TABLE ledger.facts ENABLE ALWAYS TRIGGER facts_append_only;
                """)
            let damaged = try await deployment.run(["recover", "--restored"])
            #expect(damaged.status == 1)
            #expect(damaged.output.contains("its row was changed. Run order-ledger audit"), "\(damaged.output)")
            try await deployment.owner.script("DELETE FROM ledger.schema_migrations WHERE number >= 15")
            let older = try await deployment.run(["recover"])
            #expect(older.status != 0 && older.output.contains("run `migrate` first"), "\(older.output)")
        }
    }

    @Test(
        "reports what is wrong with a command line",
        arguments: [
            (["recover", "--restord"], "did you mean \"--restored\"?"),
            (["recover", "now"], "unexpected argument \"now\""),
            (["recover", "--restored=yes"], "--restored takes no value"), (["recover"], "postgres.url"),
        ])
    func wrong(_ arguments: [String], _ error: String) async throws {
        let process = try TestProcess("order-ledger", arguments, ["KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1"])
        #expect(try await process.status() == 2)
        #expect(process.log.contains(error), "\(process.log)")
    }
}
