import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPAdmin
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit

/// `order-ledger`: prices orders, keeps the books, and proves them.
@main
struct OrderLedgerProgram {
    static func main() async {
        await CommandLineProgram(
            libraries: [
                LinkedLibrary("OpenSSL", OpenSSLLibrary.version),
                LinkedLibrary("librdkafka", KafkaLibrary.versionText),
                LinkedLibrary("libpq", PostgresLibrary.version),
                LinkedLibrary("libcurl", CurlLibrary.version),
            ], root: root
        ).main()
    }

    static let root = Command(
        name: "order-ledger", summary: "price orders, keep their books in double entry, and prove them",
        subcommands: [
            ServeCommand.command, HealthCommand.command("order-ledger", defaultPort: 9083), MigrateCommand.command,
            TopicCommand.command, AuditCommand.command,
            ReplayCommand.command, AccountsCommand.command, RecordsCommand.command, LedgerSchema.recoverCommand,
            KeysCommand.command,
            SealingKeysCommand(.contacts).command, DeadLettersCommand.command, WebhooksCommand.command,
            SettleCommand.command,
        ])
}
