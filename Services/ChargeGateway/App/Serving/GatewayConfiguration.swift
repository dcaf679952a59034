import Acquirers
import Charging
import Contracts
import KafkaBridge
import OrchardHTTPServer
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// What charge-gateway is told at its start.
///
/// Configuration keys:
/// - `http.host`, `http.port` (default 127.0.0.1, 8082): where acquirers send notifications
/// - `admin.host`, `admin.port` (default 127.0.0.1, 9082): probes and metrics
/// - `http.…`, `admin.…`: how many connections, how much memory and time, see `HTTPServerConfiguration`
/// - `merchants` (required): `merchants.json`
/// - `ticket.keys` (required): order-ledger's public ticket keys, a JWKS file
/// - `sealing.keys` (required, secret content): the gateway's own sealing keys with their private halves, a JWKS file
/// - `sealing.rotate` (default false): makes the next sealing key a day ahead and destroys those that are over
/// - `sealing.public`: where `sealing.rotate` publishes their public halves
/// - `keys.reload` (default 5s): how often `merchants.json`, the files it names and the key sets are looked at again
/// - `timers.interval` (default 500ms): how often due timers of other instances are looked for
/// - `acquirer.requests` (default 256): requests of a kind that may be at one acquirer at once
/// - `acquirer.requests.merchant` (default 128): of these, one merchant's
/// - `acquirer.tolerance` (default 15m): how old a transaction may be when it reaches the acquirer
/// - `inbox.accept-log-start` (default false): begin where the log does although the database never saw its beginning
/// - `settlement.…`: when settlement files are fetched, see ``SettlementConfiguration``
/// - `kafka.partitions` (default 12): partitions of each topic, the same for all services
/// - `postgres.…`, `kafka.…`, `log.…`, and a section of each acquirer
struct GatewayConfiguration: Sendable {
    let http: HTTPServerConfiguration
    let admin: HTTPServerConfiguration
    let merchantsFile: String
    let ticketKeysFile: String
    let sealingKeysFile: String
    /// Where the public halves go, when this gateway makes the keys.
    let rotatedPublicFile: String?
    let keyReload: Duration
    let timerInterval: Duration
    let requestLimits: RequestLimiter.Limits
    let policy: ChargingPolicy
    let acceptLogStart: Bool
    let settlement: SettlementConfiguration
    let postgres: PostgresConfiguration
    let kafka: KafkaConfiguration
    let partitions: Int32
    /// Of each acquirer that the gateway knows, its own section.
    let acquirers: [any AcquirerSetup]
    let log: LogConfiguration

    /// The consumer group; one for all instances.
    static let group = "charge-gateway"

    init(reader: ConfigReader, setups: [any AcquirerSetup.Type] = AcquirerDirectory.setups) {
        http = HTTPServerConfiguration(reader: reader.scoped(to: "http"), defaultPort: 8082)
        admin = HTTPServerConfiguration(
            reader: reader.scoped(to: "admin"), defaultPort: 9082, limits: .admin)
        merchantsFile = Self.merchantsFile(reader)
        ticketKeysFile = Self.ticketKeysFile(reader)
        sealingKeysFile = reader.file(
            "sealing.keys", doc: "The gateway's sealing keys with their private halves, a JWKS file.")
        let rotates = reader.bool(
            "sealing.rotate",
            doc: "Make the next sealing key a day ahead and destroy the old; in one gateway, on a folder all share.",
            default: false)
        let publicFile = reader.optionalString(
            "sealing.public", doc: "Where sealing.rotate publishes the public halves, for token-ingest.")
        if rotates, publicFile == nil { reader.report("sealing.public", "is required with sealing.rotate") }
        rotatedPublicFile = rotates ? publicFile : nil
        keyReload = reader.duration(
            "keys.reload", doc: "How often merchants.json, the files it names and the key sets are looked at again.",
            default: .seconds(5),
            in: .milliseconds(100)...(.seconds(600)))
        timerInterval = reader.duration(
            "timers.interval", doc: "How often due timers of other instances are looked for.",
            default: .milliseconds(500),
            in: .milliseconds(10)...(.seconds(1)))
        let requests = reader.int(
            "acquirer.requests", doc: "Requests of a kind that may be at one acquirer at once.", default: 256,
            in: 1...10_000)
        requestLimits = RequestLimiter.Limits(
            acquirer: requests,
            account: reader.int(
                "acquirer.requests.merchant", doc: "Of these, one merchant's.", default: 128, in: 1...10_000))
        policy = Self.policy(reader, setups)
        acceptLogStart = reader.bool(
            Inbox.acceptLogStartKey, doc: "Begin where the log does although the database never saw its beginning.",
            default: false)
        settlement = SettlementConfiguration(reader: reader)
        var postgres = PostgresConfiguration(reader: reader, applicationName: "charge-gateway")
        postgres.plansByKey = true
        self.postgres = postgres
        kafka = KafkaConfiguration(reader: reader, clientID: "charge-gateway")
        partitions = KafkaConfiguration.partitions(reader: reader)
        acquirers = setups.map { $0.init(reader: reader) }
        log = LogConfiguration(reader: reader)
    }

    // What the commands for people read too.

    static func merchantsFile(_ reader: ConfigReader) -> String {
        reader.file("merchants", doc: "merchants.json: the merchants and where their keys are.")
    }

    static func ticketKeysFile(_ reader: ConfigReader) -> String {
        reader.file("ticket.keys", doc: "order-ledger's public ticket keys, a JWKS file.")
    }

    /// A capture, void or refund is sent until the end of its key's slot, and is on its way for a while.
    private static let leastTolerance = FollowUpKey.slot + .seconds(60)

    static func policy(
        _ reader: ConfigReader, _ setups: [any AcquirerSetup.Type] = AcquirerDirectory.setups
    ) -> ChargingPolicy {
        var policy = ChargingPolicy(of: setups)
        policy.acquirerTolerance = reader.duration(
            "acquirer.tolerance", doc: "How old a transaction may be when it reaches the acquirer.",
            default: policy.acquirerTolerance, in: leastTolerance...(.seconds(86_400)))
        return policy
    }
}

extension ChargingPolicy {
    /// The policy that fits what the acquirers can do.
    init(of setups: [any AcquirerSetup.Type]) {
        self.init()
        for setup in setups {
            unsupported[setup.name] = Set(OperationKind.allCases).subtracting(setup.capabilities.operations)
        }
        acquirersWithoutKey = Set(setups.filter { !$0.capabilities.hasIdempotencyKey }.map { $0.name })
        acquirersNamingNoOrder = Set(setups.filter { !$0.capabilities.namesPaidOrder }.map { $0.name })
    }
}
