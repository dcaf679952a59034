import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPAdmin
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit

/// The program `charge-gateway`.
@main
enum ChargeGatewayProgram {
    static let root = Command(
        name: "charge-gateway", summary: "charge acquirers exactly once",
        subcommands: [
            ServeCommand.command, HealthCommand.command("charge-gateway", defaultPort: 9082), MigrateCommand.command,
            GatewayService.recoverCommand,
            SealingKeysCommand(.cards).command, AttemptsCommand.command, SettlementCommand.command,
            DeadLettersCommand.command,
        ])

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
}
