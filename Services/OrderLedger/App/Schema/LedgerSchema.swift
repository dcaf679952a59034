import Contracts
import OrchardPostgres
import Outbox

/// The ledger's schema: numbered migrations, and the role that the service runs under.
enum LedgerSchema {
    static let name = "ledger"
    /// May read everything and insert; may change only tables outside the journal. Login roles are its members.
    static let serviceRole = "ledger_service"

    /// The inbox, which stores the fold's position in each partition.
    static let inbox = Inbox(schema: name, topic: .journal, program: "order-ledger")
    /// Facts, commands and erasures of the API, and dead letters of the projection.
    static let outbox = Outbox(schema: name, stream: EventSource.orderLedger.stream)

    /// The topics that the service itself reads or writes.
    static let topics = [Topic.charges, .journal, Topic.journal.deadLetters, .attempts, .contacts, .erasures]

    static let migrator = Migrator(schema: name, migrations: migrations)

    /// The result of the migrations, as ``LedgerColumns`` and ``LedgerCatalogue`` record it.
    static let catalogue = SchemaCatalogue(text: LedgerColumns.text + "\n" + LedgerCatalogue.text)

    private static let migrations = [
        Migration(1, "journal", sql: JournalTables.sql),
        Migration(2, "orders", sql: OrderTables.sql),
        Migration(3, "offers", sql: OfferTables.sql),
        Migration(4, "inbox", sql: Inbox.migrationSQL(schema: name, role: serviceRole)),
        Migration(5, "outbox", sql: Outbox.migrationSQL(schema: name, role: serviceRole)),
        Migration(6, "attempts", sql: AttemptTables.sql),
        Migration(7, "views", sql: OrderViews.sql),
        Migration(8, "sheet_choices", isAdditive: true, sql: OfferTables.choicesSQL),
        Migration(9, "fulfilments", isAdditive: true, sql: FulfilmentTables.sql),
        Migration(10, "contacts", isAdditive: true, sql: ContactTables.sql),
        Migration(11, "webhooks", isAdditive: true, sql: WebhookTables.sql),
        Migration(12, "follow_ups", isAdditive: true, sql: FollowUpTables.sql),
        Migration(13, "follow_up_commands", isAdditive: true, sql: FollowUpCommandTables.sql),
        Migration(14, "settlement", isAdditive: true, sql: SettlementTables.sql),
        Migration(15, "packed_records", sql: JournalTables.packedSQL),
        Migration(16, "sweep_vacuum", isAdditive: true, sql: OfferTables.vacuumSQL),
    ]
}
