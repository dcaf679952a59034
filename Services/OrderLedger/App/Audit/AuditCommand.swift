import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// `order-ledger audit`: checks the books using only the books.
enum AuditCommand {
    static let command = Command(
        name: "audit", summary: "prove the books: chain, counts, balance, guards, no card numbers",
        discussion: """
            Reads the whole ledger up to where it stands now, in short transactions beside the running service; writes \
            nothing. Each finding names partition and offset. Exit status 0 when nothing is wrong, 1 with findings, 2 when \
            it could not be checked.
            """,
        options: [.flag("json", help: "Print the report as JSON.")],
        configuration: ConfigReader.keys { configuration($0) },
        examples: [.init("order-ledger audit --json > report.json", "for the auditor's file")]
    ) { invocation in
        let (postgres, _) = try invocation.configuration { configuration($0) }
        return await BooksCheck(postgres: postgres, isJSON: invocation.has("json")).run { connections in
            try await Audit(connections: connections, inbox: LedgerSchema.inbox).run()
        }
    }

    private static func configuration(_ reader: ConfigReader) -> PostgresConfiguration {
        PostgresConfiguration(reader: reader, applicationName: "order-ledger audit")
    }
}
