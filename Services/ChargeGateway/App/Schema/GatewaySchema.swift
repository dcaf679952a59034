import Contracts
import OrchardPostgres
import Outbox

/// The gateway's schema: numbered migrations, and the role that the service runs under.
enum GatewaySchema {
    static let name = "gateway"
    /// May do to the tables what the service does, and nothing else: it deletes nothing. Login roles of the service are
    /// its members.
    static let serviceRole = "gateway_service"

    /// `ce_stream`: names the outbox in the topics that it writes to.
    static let stream = EventSource.chargeGateway.stream

    static let migrator = Migrator(schema: name, migrations: migrations)

    private static let migrations = [
        Migration(1, "orders", sql: OrderTables.sql),
        Migration(2, "inbox", sql: Inbox.migrationSQL(schema: name, role: serviceRole)),
        Migration(3, "outbox", sql: Outbox.migrationSQL(schema: name, role: serviceRole)),
        Migration(4, "views", sql: ChargeViews.sql),
        Migration(5, "order_expiry", isAdditive: true, sql: OrderTables.expirySQL),
        Migration(6, "order_signed", isAdditive: true, sql: OrderTables.orderSignedSQL),
        Migration(7, "follow_ups", isAdditive: true, sql: FollowUpTables.sql),
        Migration(8, "settlement", isAdditive: true, sql: SettlementTables.sql),
        Migration(9, "accepted_at", isAdditive: true, sql: OrderTables.acceptedSQL),
    ]
}
