import Contracts
import KeyFiles
import OrchardPostgres
import OrchardServiceKit

/// `order-ledger webhooks`: what shops' servers have not taken.
enum WebhooksCommand {
    static let command = Command(
        name: "webhooks", summary: "list webhooks that wait or are parked, and send them again",
        subcommands: [list, replay])

    private static let keys = ConfigReader.keys { Configuration(reader: $0) }
    private static let order = CommandOption.value(
        "order", "ORDER", help: "All messages of this order, also those that were delivered.")

    private static let list = Command(
        name: "list", summary: "list the webhooks that wait or are parked",
        discussion: """
            Prints state, event, message id, order, endpoint and merchant, when it is sent next or ended, failures and the \
            reason of the last. At most \(WebhookList.limit) that wait and as many that are parked. A message is parked when \
            no try of 3 days was taken, when its endpoint is no longer in merchants.json, or when the database was restored. \
            Messages are kept for 30 days after their end.
            """,
        options: [.flag("parked", help: "Only those that are parked."), order], configuration: keys,
        examples: [
            .init("order-ledger webhooks list --config order-ledger.json", "after an alarm"),
            .init(
                "order-ledger webhooks list --order 0190a0b0c0d0e0f00102030405060708",
                "was the shop told of this order?"),
        ]
    ) { invocation in
        let selections: [WebhookList.Selection] =
            if let order = try orderID(invocation) {
                [.order(order)]
            } else {
                invocation.has("parked") ? [.parked] : [.waiting, .parked]
            }
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let connection = try await configuration.connect()
        var isEmpty = true
        for selection in selections {
            for item in try await WebhookList(connection: connection).items(selection) {
                print(item.line)
                isEmpty = false
            }
        }
        await connection.close()
        if isEmpty { print(invocation.values("order").isEmpty ? "none" : "the shop was told nothing of this order") }
        return 0
    }

    private static let replay = Command(
        name: "replay", summary: "send parked webhooks again",
        discussion: """
            Gives each message 3 days of tries again, under the same message id: a server that took it already knows it. \
            `serve` sends them. Exit status 1 when there was none to send.
            """,
        arguments: [
            .init("MESSAGE", help: "The message id, as the list prints it.", isRequired: false, isRepeatable: true)
        ],
        options: [.flag("all", help: "Every parked message."), order], configuration: keys,
        examples: [
            .init("order-ledger webhooks replay --all --config order-ledger.json", "after the shop's server came back"),
            .init("order-ledger webhooks replay --order 0190a0b0c0d0e0f00102030405060708", "the shop has lost it"),
        ]
    ) { invocation in
        let order = try orderID(invocation)
        let ids = try invocation.arguments.map { text throws(UsageError) in
            guard let id = EventID(given: text) else {
                throw UsageError("MESSAGE is 32 lower-case hex digits, with or without the hyphens of a UUID")
            }
            return id
        }
        guard [order != nil, !ids.isEmpty, invocation.has("all")].count(where: \.self) == 1 else {
            throw UsageError("name a MESSAGE, or give --order or --all, one of them")
        }
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let connection = try await configuration.connect()
        let webhooks = WebhookList(connection: connection)
        let count =
            if invocation.has("all") {
                try await webhooks.replayParked(at: .now)
            } else {
                try await webhooks.replay(webhooks.items(order.map { .order($0) } ?? .ids(ids)), at: .now)
            }
        await connection.close()
        print(count == 1 ? "1 message is sent again" : "\(count) messages are sent again")
        return count > 0 ? 0 : 1
    }

    private static func orderID(_ invocation: Invocation) throws(UsageError) -> OrderID? {
        guard let text = invocation.values("order").last else { return nil }
        guard let order = OrderID(given: text) else {
            throw UsageError("ORDER is 32 lower-case hex digits, with or without the hyphens of a UUID")
        }
        return order
    }

    /// - `postgres.*`, as for `serve`
    private struct Configuration {
        private let postgres: PostgresConfiguration

        init(reader: ConfigReader) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger webhooks")
        }

        func connect() async throws -> PostgresConnection {
            let connection = try await PostgresConnection.connect(postgres)
            try await LedgerSchema.migrator.check(connection)
            return connection
        }
    }
}
