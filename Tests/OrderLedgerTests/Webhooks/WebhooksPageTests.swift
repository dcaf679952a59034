import Contracts
import Foundation
import LedgerFixtures
import OrchardCrypto
import OrchardJSON
import OrchardPostgres
import SandboxProcesses
import TestSupport
import Testing

@testable import OrderLedger

@Suite("docs/webhooks.md", .timeLimit(.minutes(2)))
struct WebhooksPageTests {
    private let page = Page("docs/webhooks.md")
    private static let secret = "whsec_" + Base64.encode([UInt8](repeating: 5, count: 32))

    /// Messages of ours, as a shop's server received them: of a sale, and of a refund.
    private static func messages() async throws -> [WebhookReceiver.Request] {
        let shop = try WebhookReceiver()
        try await WebhookFixture.with { fixture in
            try fixture.configure([("erp", shop.url)])
            let order = try fixture.order(1)
            try await fixture.ledger.owner.execute(
                """
                INSERT INTO ledger.offered_orders (partition, order_id, merchant_id, partitions, request, request_digest,
                    revision, created_at, reference) VALUES ($1, $2, $3, 4, '', '', 1, now(), 'A-1')
                """, [Shop.partition, order.order, order.merchant])
            try await fixture.pay(order)
            let amount = Money(minorUnits: 3_000, currency: .cny)
            try await fixture.tell(order.followUps(.refund, amount: amount, .accepted, .succeeded))
            try await fixture.deliver()
        }
        return shop.requests
    }

    private static func message() async throws -> WebhookReceiver.Request { try #require(try await messages().first) }

    @Test("shows a message as it is sent, and names each of its members")
    func members() async throws {
        let messages = try await Self.messages()
        #expect(messages.map(\.type) == ["order.paid", "order.refunded"])
        let text = try page.text
        func names(_ value: JSONValue) -> [String] {
            (value.members ?? []).flatMap { [$0.name] + names($0.value) }
        }
        for message in messages {
            let block = try #require(try page.blocks.first { $0.name == message.type })
            #expect(Page.faults(message.json, try JSONValue(parsing: Array(block.text.utf8)), "message") == [])
            for name in names(message.json) where name != "data" { #expect(text.contains("`\(name)`"), "\(name)") }
        }
    }

    @Test(
        "verifies a message in Python: ours is taken, and none with another body, id, time, secret or signature",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/python3")))
    func python() async throws {
        let message = try await Self.message()
        let program = try #require(try page.blocks(of: "python").first).text
        #expect(program.split(separator: "\n").count <= 20)
        let fields = message.fields
        func changed(_ name: String, _ value: String) -> [String: String] { fields.merging([name: value]) { $1 } }
        let sent = try #require(Int64(fields["webhook-timestamp"] ?? ""))
        let signature = fields["webhook-signature"] ?? ""
        let other = "whsec_" + Base64.encode([UInt8](repeating: 6, count: 32))
        let cases: [(fields: [String: String], body: String, secrets: [String], isTaken: Bool)] = [
            (fields, message.body, [Self.secret], true),
            (fields, message.body, [Self.secret + "\n"], true),
            (fields, message.body, [other, Self.secret], true),
            (changed("webhook-signature", "v1,AAAA \(signature)"), message.body, [Self.secret], true),
            (fields, message.body + " ", [Self.secret], false),
            (fields, message.body.replacing("10900", with: "10901"), [Self.secret], false),
            (changed("webhook-id", Shop.order.description), message.body, [Self.secret], false),
            (changed("webhook-timestamp", "\(sent + 1)"), message.body, [Self.secret], false),
            (changed("webhook-timestamp", "\(sent - 301)"), message.body, [Self.secret], false),
            (fields, message.body, [other], false),
            (fields, message.body, [], false),
            (changed("webhook-signature", "v1,AAAA"), message.body, [Self.secret], false),
            (changed("webhook-signature", String(signature.dropFirst(3))), message.body, [Self.secret], false),
            (changed("webhook-signature", ""), message.body, [Self.secret], false),
        ]
        let folder = try TemporaryFolder()
        let script = try folder.write(
            "verify.py",
            program + """

                import json, sys
                for case in json.load(open(sys.argv[1])):
                    print(verify(case["fields"], case["body"].encode(), case["secrets"]))
                """)
        let input = JSONValue.array(
            cases.map { one in
                .object([
                    JSONMember("fields", .object(one.fields.map { JSONMember($0.key, .string($0.value)) })),
                    JSONMember("body", .string(one.body)),
                    JSONMember("secrets", .array(one.secrets.map { .string($0) })),
                ])
            })
        var writer = JSONWriter()
        writer.value(input)
        let file = try folder.write("cases.json", String(decoding: writer.bytes, as: UTF8.self))
        let run = try ProgramRun("/usr/bin/python3", [script, file])
        #expect(
            run.output.split(separator: "\n").map(String.init) == cases.map { $0.isTaken ? "True" : "False" },
            "\(run.output)")
    }
}
