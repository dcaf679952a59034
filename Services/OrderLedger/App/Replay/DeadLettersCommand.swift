import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger dlq`: records of the journal that could not be applied to the books.
enum DeadLettersCommand {
    static let command = DeadLetterCommand.dlq("order-ledger", of: .journal, replay: replay)

    private static let replay = Command(
        name: "replay", summary: "read records again that could not be applied to the books",
        discussion: """
            Reads each record in \(Topic.journal.name) and reports how this version reads it and whether its
            event is in the books. Rows of the books never change: a record that was stored as unreadable or refused
            stays so. A ledger rebuilt from the journal takes what this version can read. Exit status 1 when the
            event of a record is not in the books.
            """,
        arguments: [.init("PLACE", help: "Where the record is: P3@41.", isRequired: false, isRepeatable: true)],
        options: [.flag("all", help: "Every record among the dead letters.")],
        configuration: ConfigReader.keys { Configuration(reader: $0) },
        examples: [.init("order-ledger dlq replay --all --config order-ledger.json", "after an upgrade")]
    ) { invocation in
        let choice = try DeadLetterCommand.Choice(invocation)
        let (configuration, _) = try invocation.configuration { Configuration(reader: $0) }
        let letters = try DeadLetterTopic(of: .journal, configuration.kafka)
        let places = try await choice.places(among: letters)
        let connection = try await PostgresConnection.connect(configuration.postgres)
        try await LedgerSchema.migrator.check(connection)
        var status: Int32 = 0
        for place in places {
            let answer = try await JournalReplay(connection: connection).replay(letters.original(place))
            print("\(place)  \(answer.text)")
            if !answer.isInBooks { status = 1 }
        }
        if places.isEmpty { print("nothing was set aside") }
        await connection.close()
        return status
    }

    /// - `postgres.*`, `kafka.*`, as for `serve`
    private struct Configuration {
        let postgres: PostgresConfiguration
        let kafka: KafkaConfiguration

        init(reader: ConfigReader) {
            postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger dlq")
            kafka = KafkaConfiguration(reader: reader, clientID: "order-ledger")
        }
    }
}
