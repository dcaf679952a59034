import KafkaBridge
import OrchardCrypto
import OrchardHTTPAdmin
import OrchardHTTPClient
import OrchardServiceKit

/// The program `token-ingest`.
@main
enum TokenIngestProgram {
    static let root = Command(
        name: "token-ingest", summary: "verify, decrypt and seal Apple Pay tokens",
        subcommands: [
            ServeCommand.command, HealthCommand.command("token-ingest", defaultPort: 9081), InspectCommand.command,
            KeysCommand.command,
        ])

    static func main() async {
        await CommandLineProgram(
            libraries: [
                LinkedLibrary("OpenSSL", OpenSSLLibrary.version),
                LinkedLibrary("librdkafka", KafkaLibrary.versionText),
                LinkedLibrary("libcurl", CurlLibrary.version),
            ], root: root
        ).main()
    }
}
