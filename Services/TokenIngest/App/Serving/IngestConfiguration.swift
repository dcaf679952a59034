import KafkaBridge
import OrchardHTTPServer
import OrchardServiceKit

/// The settings of token-ingest, read at its start.
///
/// Configuration keys:
/// - `http.host`, `http.port` (default 127.0.0.1, 8081): where devices send payments
/// - `admin.host`, `admin.port` (default 127.0.0.1, 9081): probes and metrics
/// - `http.…`, `admin.…`: limits of connections, memory and time, see `HTTPServerConfiguration`
/// - `merchants` (required): `merchants.json`
/// - `ticket.keys` (required): order-ledger's public ticket keys, a JWKS file
/// - `sealing.keys` (required): the gateway's public sealing keys, a JWKS file
/// - `contact.keys` (required): order-ledger's public contact keys, a JWKS file
/// - `keys.reload` (default 5s): how often `merchants.json`, the files it names and the key sets are checked for
///   changes
/// - `apple.root`: another root than Apple Root CA - G3, for test wallets only
/// - `apple.sessions.server`, `apple.sessions.root`: another server than Apple's for merchant sessions, for tests only
/// - `sessions.maximum` (default 200): pages that wait for Apple's answer at once
/// - `payments.maximum` (default 1000): payments in progress at once
/// - `payments.acknowledgement` (default 10s): how long Kafka may take to acknowledge a payment
/// - `limit.ticket` (default 10): requests a second with one order's tickets, 0 for no limit
/// - `kafka.partitions` (default 12): partitions of each topic, the same for all services
/// - `kafka.…`, `log.…`
struct IngestConfiguration: Sendable {
    let http: HTTPServerConfiguration
    let admin: HTTPServerConfiguration
    let merchantsFile: String
    let ticketKeysFile: String
    let sealingKeysFile: String
    let contactKeysFile: String
    let keyReload: Duration
    let appleRootFile: String?
    let sessionServer: TestSessionServer?
    let maximumSessions: Int
    let maximumPayments: Int
    let acknowledgement: Duration
    let ticketLimit: Int
    let kafka: KafkaConfiguration
    let partitions: Int32
    let log: LogConfiguration

    init(reader: ConfigReader) {
        http = HTTPServerConfiguration(reader: reader.scoped(to: "http"), defaultPort: 8081)
        admin = HTTPServerConfiguration(
            reader: reader.scoped(to: "admin"), defaultPort: 9081, limits: .admin)
        merchantsFile = reader.file("merchants", doc: "merchants.json: the merchants and where their keys are.")
        ticketKeysFile = reader.file("ticket.keys", doc: "order-ledger's public ticket keys, a JWKS file.")
        sealingKeysFile = reader.file("sealing.keys", doc: "The gateway's public sealing keys, a JWKS file.")
        contactKeysFile = reader.file("contact.keys", doc: "order-ledger's public contact keys, a JWKS file.")
        keyReload = reader.duration(
            "keys.reload", doc: "How often merchants.json, the files it names and the key sets are looked at again.",
            default: .seconds(5),
            in: .milliseconds(100)...(.seconds(600)))
        appleRootFile = reader.optionalFile(
            "apple.root", doc: "A root certificate to trust instead of Apple Root CA - G3; for test wallets only.")
        sessionServer = TestSessionServer(reader: reader.scoped(to: "apple.sessions"))
        maximumSessions = reader.int(
            "sessions.maximum", doc: "Pages that wait for Apple's answer at once; more are asked to come again.",
            default: 200, in: 1...10_000)
        maximumPayments = reader.int(
            "payments.maximum", doc: "Payments in progress at once; more are asked to come again.", default: 1_000,
            in: 1...100_000)
        acknowledgement = reader.duration(
            "payments.acknowledgement", doc: "How long Kafka may take to acknowledge a payment.",
            default: .seconds(10), in: .seconds(1)...(.seconds(60)))
        ticketLimit = reader.int(
            "limit.ticket", doc: "Requests a second with one order's tickets to a worker; 0 for no limit.", default: 10,
            in: 0...1_000_000)
        kafka = KafkaConfiguration(reader: reader, clientID: "token-ingest")
        partitions = KafkaConfiguration.partitions(reader: reader)
        log = LogConfiguration(reader: reader)
    }
}
