import Contracts
import KafkaBridge
import KeyFiles
import Ledger
import OrchardCrypto
import OrchardHTTPServer
import OrchardJOSE
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// The configuration of `order-ledger serve`.
struct LedgerConfiguration {
    let http: HTTPServerConfiguration
    let admin: HTTPServerConfiguration
    let log: LogConfiguration
    let topics: TopicConfiguration
    let group: String
    let acceptsLogStart: Bool
    let postgres: PostgresConfiguration
    let merchants: CheckedFile<LedgerMerchants>?
    let ticketKeys: TicketKeyRing?
    let contactKeys: ContactKeys?
    let keyReload: Duration
    let ticketLifetime: Duration
    /// The shortest life of an order that says when it ends, and how long after its end it is closed.
    let minimumOrderLife: Duration
    let expiryGrace: Duration
    /// Requests a second by API key, and by order for tickets; 0 for no limit.
    let keyLimit: Int
    let ticketLimit: Int
    /// PEM file of the authorities that vouch for shops' servers, instead of the system's.
    let webhookAuthorities: String?

    /// Configuration keys:
    /// - `http.host`, `http.port` (8083): the address for shops and devices
    /// - `admin.host`, `admin.port` (9083): `/healthz`, `/readyz`, `/metrics`
    /// - `http.…`, `admin.…`: how many connections, how much memory and time, see `HTTPServerConfiguration`
    /// - `log.level`, `log.format`
    /// - `kafka.bootstrap.servers`, `kafka.properties.*`, `kafka.partitions`, `kafka.replication.factor`
    /// - `kafka.group` (order-ledger): the consumer group that folds the journal
    /// - `inbox.accept-log-start` (false): lets a new database begin where the journal does
    /// - `postgres.url`, `postgres.pool.size`, `postgres.statement.timeout`: under the service's role
    /// - `merchants`: `merchants.json`
    /// - `ticket.signing.key`: the private key that signs tickets, PEM, P-256
    /// - `ticket.keys`: the JWKS that all three services verify tickets with; holds the signing key's public half
    /// - `contact.keys` (secret content): the keys that contacts are sealed to, with their private halves, a JWKS file
    /// - `contact.rotate` (false): makes the next contact key a day ahead and destroys those that are over
    /// - `contact.public`: where `contact.rotate` publishes their public halves
    /// - `keys.reload` (default 5s): how often `merchants.json`, the files it names and the key sets are read again
    /// - `limit.key` (1000), `limit.ticket` (10): requests a second of an API key and of an order's tickets
    /// - `webhooks.ca`: the authorities for TLS to shops' servers, PEM, instead of the system's
    /// - `expiry.minimum` (1m): the shortest life of an order that says when it ends
    /// - `expiry.grace` (1m): how long after its end an unpaid order is closed
    /// - `ticket.life` (10m, at most 15m): how long a ticket can be charged
    init(reader: ConfigReader) {
        http = HTTPServerConfiguration(reader: reader.scoped(to: "http"), defaultPort: 8083)
        admin = HTTPServerConfiguration(
            reader: reader.scoped(to: "admin"), defaultPort: 9083, limits: .admin)
        log = LogConfiguration(reader: reader)
        topics = TopicConfiguration(reader: reader)
        group = Self.group(reader)
        acceptsLogStart = reader.bool(
            Inbox.acceptLogStartKey,
            doc: "Let a new database begin where the journal does, although older facts are gone.", default: false)
        var postgres = PostgresConfiguration(reader: reader, applicationName: "order-ledger")
        postgres.plansByKey = true
        self.postgres = postgres
        merchants = Self.merchants(reader)
        ticketKeys = TicketKeyRing(reader: reader)
        contactKeys = ContactKeys(reader: reader)
        keyReload = reader.duration(
            "keys.reload", doc: "How often merchants.json, the files it names and the key sets are looked at again.",
            default: .seconds(5),
            in: .milliseconds(100)...(.seconds(600)))
        ticketLifetime = reader.duration(
            "ticket.life", doc: "How long a ticket charges.", default: .seconds(600),
            in: .seconds(10)...OrderTicket.maximumLife)
        minimumOrderLife = reader.duration(
            "expiry.minimum", doc: "The shortest life of an order that says when it ends.",
            default: OfferRules.minimumLife, in: .seconds(1)...(.seconds(3_600)))
        expiryGrace = reader.duration(
            "expiry.grace",
            doc: "How long after its end an unpaid order is closed: payments are on their way, and clocks differ.",
            default: OrderExpiry.grace, in: .seconds(1)...(.seconds(3_600)))
        keyLimit = reader.int(
            "limit.key", doc: "Requests a second that one API key may send to a worker; 0 for no limit.",
            default: 1_000, in: 0...1_000_000)
        ticketLimit = reader.int(
            "limit.ticket", doc: "Requests a second with one order's tickets to a worker; 0 for no limit.", default: 10,
            in: 0...1_000_000)
        webhookAuthorities = reader.optionalFile(
            "webhooks.ca", doc: "The authorities for TLS to shops' servers, PEM, instead of the system's.")
    }

    /// `kafka.group`, for `serve` and `replay`.
    static func group(_ reader: ConfigReader) -> String {
        reader.string("kafka.group", doc: "The consumer group that folds the journal.", default: "order-ledger")
    }

    /// `merchants`, for `serve` and `settle`.
    static func merchants(_ reader: ConfigReader) -> CheckedFile<LedgerMerchants>? {
        let path = reader.file("merchants", doc: "merchants.json, the same for all three services.")
        guard !path.isEmpty else { return nil }
        do throws(ConfigurationError) {
            return try LedgerMerchants.file(path)
        } catch {
            for problem in error.problems { reader.report(problem.key, problem.reason) }
            return nil
        }
    }
}

/// The keys that sign and verify order tickets, at one moment.
struct TicketKeys: Sendable {
    let signer: TicketSigner
    let verifier: TicketVerifier
}
