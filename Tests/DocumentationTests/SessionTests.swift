import Contracts
import Foundation
import OrchardJSON
import OrchardPostgres
import SandboxBroker
import TestSupport
import Testing

@testable import SandboxDemo

@Suite("Sessions in the documentation")
struct SessionTests {
    @Test("docs/configuration.md equals the output of --help")
    func configuration() async throws {
        let differences = try await Session(Document("docs/configuration.md")).differences()
        #expect(differences.isEmpty, "\(differences.map(\.description).joined(separator: "\n\n"))")
    }

    @Test("the commands of docs/running.md lead from nothing to a paid order and proved books")
    func running() async throws {
        let broker = try BrokerProcess(topics: Topic.all.map { BrokerTopic(name: $0.name, partitions: 12) })
        let number = UInt32.random(in: 0 ... .max)
        let server = try TestServers.postgres().connectionString.split(separator: " ")
            .filter { !$0.hasPrefix("dbname=") && !$0.hasPrefix("user=") }.joined(separator: " ")
        var replacing = [
            ("kafka.example:9092", broker.bootstrapServers), ("host=db.example", server),
            ("dbname=gateway", "dbname=gateway_\(number)"), ("dbname=ledger", "dbname=ledger_\(number)"),
            ("DATABASE gateway", "DATABASE gateway_\(number)"), ("DATABASE ledger", "DATABASE ledger_\(number)"),
            ("orchard_gateway", "orchard_gateway_\(number)"), ("orchard_ledger", "orchard_ledger_\(number)"),
        ]
        let ports = ["8081", "8082", "8083", "8090", "8443", "8583", "9081", "9082", "9083"]
        replacing += zip(ports, try FreePorts.take(ports.count)).map { ($0, "\($1)") }
        // The embedded broker makes no topics on demand and supports no topic settings.
        let verify = try #require(try Document("docs/webhooks.md").blocks.first { $0.info == "python" })
        let session = Session(
            try Document("docs/running.md"), replacing: replacing, files: ["verify.py": verify.text],
            isSkipped: { $0.hasPrefix("order-ledger topics") })
        let differences = try await session.differences()
        let admin = try await PostgresConnection.connect(TestServers.postgres())
        for name in ["gateway", "ledger"] {
            try await admin.execute("DROP DATABASE IF EXISTS \(name)_\(number) WITH (FORCE)")
            try await admin.execute("DROP ROLE IF EXISTS orchard_\(name)_\(number)")
        }
        await admin.close()
        #expect(differences.isEmpty, "\(differences.map(\.description).joined(separator: "\n\n"))")
    }

    @Test("the session of every page is run")
    func allSessions() {
        let pages = Document.all.filter { $0.blocks.contains(where: \.isSession) }.map(\.path)
        #expect(pages == ["docs/configuration.md", "docs/running.md"])
    }

    @Test("every JSON block is valid JSON", arguments: Document.all)
    func json(document: Document) throws {
        for block in document.blocks where block.info.hasPrefix("json") {
            #expect(throws: Never.self, "\(document.path), line \(block.line)") {
                try JSONValue(parsing: Array(block.text.utf8))
            }
        }
    }

    @Test(
        "an ellipsis stands for any text, everything else for itself",
        arguments: [
            ("added key …: seals", "added key k1: seals", true), ("added key …: seals", "added key k1: opens", false),
            ("a … b … c", "a 1 b 2 b 3 c", true), ("a … c", "a c", false), ("a", "a", true), ("a", "b", false),
            ("…", "", true), ("a…", "b a", false), ("…a", "a b", false),
        ])
    func ellipsis(expected: String, text: String, isMatch: Bool) {
        #expect(Session.matches(text, expected) == isMatch)
    }

    @Test(
        "shown JSON has the same members and elements",
        arguments: [
            (#"{"a":1,"b":"x"}"#, #"{"b":"…","a":1}"#, true), (#"{"a":1}"#, #"{"a":2}"#, false),
            (#"{"a":1}"#, #"{"a":1,"b":2}"#, false), (#"{"a":1,"b":2}"#, #"{"a":1}"#, false),
            (#"[1,2]"#, #"[1]"#, false), (#"[1,{"a":"y"}]"#, #"[1,{"a":"…"}]"#, true),
            (#"{"a":1}"#, #"{"a":"…"}"#, false), (#"{"a":{"b":1}}"#, #"{"a":"…"}"#, true),
        ])
    func shownJSON(value: String, expected: String, isMatch: Bool) throws {
        #expect(
            try Session.matches(JSONValue(parsing: Array(value.utf8)), JSONValue(parsing: Array(expected.utf8)))
                == isMatch)
    }
}
