import Acquirers
import Charging
import Contracts
import Foundation
import KafkaBridge
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit
import Outbox
import TestSupport
import Testing

@testable import ChargeGateway

/// A gateway without Kafka on a database of its own: migrated by its owner, served under the restricted role.
struct TestGateway: Sendable {
    let shop: Shop
    /// Superuser; sees and changes everything.
    let owner: PostgresConnection
    let pool: PostgresPool
    /// What leads the service's programs to its database.
    let url: String
    let transactions: OrderTransactions
    let commands: CommandProcessor
    let metrics: MetricsRegistry
    let acquirerClient: AcquirerClient
    let readiness = Readiness()
    let breakers: CircuitBreakers
    /// Intents that commands and notifications bring, where timers run.
    let requests: ImmediateRequests
    let telemetry: ChargeTelemetry
    let logger: Logger
    let log = LogRecorder()

    /// libpq's connection string of a superuser, from `Tests/Servers/run`.
    static let server = ProcessInfo.processInfo.environment["ORCHARD_TEST_POSTGRES"]
    private static let semaphore = Semaphore(places: 3)
    static let poolSize = 4

    /// Times of a test: the first query 60 ms after the send. A send may take long on a slow machine.
    static var policy: ChargingPolicy {
        var policy = ChargingPolicy()
        policy.querySchedule = [60, 120, 250, 500, 1_000, 2_000].map { .milliseconds($0) }
        policy.queryInterval = .seconds(2)
        policy.minimumQueryGap = .milliseconds(10)
        policy.notSentBackOff = [.milliseconds(20)]
        policy.resendBackOff = [.milliseconds(0)]
        policy.sendInProgress = .seconds(20)
        policy.sealingKeyWait = .milliseconds(50)
        return policy
    }

    /// The same, with a resend two seconds after a crash. A send that is slow may be repeated.
    static var hastyPolicy: ChargingPolicy {
        var policy = policy
        policy.sendInProgress = .milliseconds(1_900)
        return policy
    }

    /// Runs `body` with a fresh gateway whose timers run.
    static func with(
        _ acquirers: [any Acquirer], policy: ChargingPolicy = policy,
        limits: RequestLimiter.Limits = RequestLimiter.Limits(),
        breakerWait: Duration = .milliseconds(1_500), hasTimers: Bool = true, sweeps: Duration = .milliseconds(10),
        _ body: @Sendable (TestGateway) async throws -> Void
    ) async throws {
        try await semaphore.pass {
            try await open(acquirers, policy, limits, breakerWait, hasTimers, sweeps, body)
        }
    }

    private static func open(
        _ acquirers: [any Acquirer], _ policy: ChargingPolicy, _ limits: RequestLimiter.Limits, _ breakerWait: Duration,
        _ hasTimers: Bool, _ sweeps: Duration, _ body: @Sendable (TestGateway) async throws -> Void
    ) async throws {
        let server = try #require(server, "run `make test`, or Tests/Servers/run swift test --filter …")
        let name = "gateway_\(UInt64.random(in: 0 ... .max))"
        let admin = try await PostgresConnection.connect(PostgresConfiguration(connectionString: server))
        try await admin.execute("CREATE DATABASE \(name)")
        let owner = try await PostgresConnection.connect(
            PostgresConfiguration(connectionString: "\(server) dbname=\(name)"))
        try await GatewaySchema.migrator.migrate(owner)
        try await owner.execute("CREATE ROLE \(name) LOGIN IN ROLE \(GatewaySchema.serviceRole)")
        // What InboxStarts writes when a consumer is given its partitions.
        try await owner.execute(
            """
            INSERT INTO gateway.inbox_watermarks (topic, partition, next_offset, cluster_id, system_identifier, timeline, objects)
            SELECT $1, p, 0, 'test', (SELECT system_identifier FROM pg_control_system()),
                substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
                (SELECT oid FROM pg_database WHERE datname = current_database())::text || '/'
                    || 'gateway.inbox_watermarks'::regclass::oid::text FROM generate_series(0, 3) AS p
            """, [Topic.charges.name])
        let outcome: Result<Void, any Error> = await withTaskGroup(of: Void.self) { group in
            let outcome: Result<Void, any Error>
            do {
                let gateway = try TestGateway(
                    Shop(), owner, "\(server) dbname=\(name) user=\(name)", acquirers, policy,
                    // Without timers nobody would make the requests.
                    hasTimers ? limits : RequestLimiter.Limits(acquirer: 0, account: 0), breakerWait)
                group.addTask { try? await gateway.pool.run() }
                if hasTimers {
                    group.addTask { try? await gateway.timers(sharing: gateway.requests, every: sweeps).run() }
                }
                try await body(gateway)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            group.cancelAll()
            return outcome
        }
        await owner.close()
        try await admin.execute("DROP DATABASE \(name) WITH (FORCE)")
        try await admin.execute("DROP ROLE \(name)")
        await admin.close()
        try outcome.get()
    }

    private init(
        _ shop: Shop, _ owner: PostgresConnection, _ connection: String, _ acquirers: [any Acquirer],
        _ policy: ChargingPolicy, _ limits: RequestLimiter.Limits, _ breakerWait: Duration
    ) {
        self.shop = shop
        self.owner = owner
        url = connection
        metrics = MetricsRegistry()
        logger = log.logger
        var postgres = PostgresConfiguration(connectionString: connection, poolSize: Self.poolSize)
        postgres.plansByKey = true
        pool = PostgresPool(postgres, logger: logger, readiness: Readiness())
        telemetry = ChargeTelemetry(metrics, logger: logger)
        let timers = TimerQueue()
        transactions = OrderTransactions(
            pool: pool, store: OrderStore(policy: policy), outbox: Outbox(schema: "gateway", stream: "charge-gateway"),
            telemetry: telemetry, timers: timers)
        acquirerClient = AcquirerClient(AcquirerDirectory(acquirers), telemetry: telemetry)
        var breakerPolicy = CircuitBreakerPolicy()
        breakerPolicy.waits = [breakerWait]
        breakers = CircuitBreakers(policy: breakerPolicy, telemetry: telemetry, readiness: readiness)
        requests = ImmediateRequests(
            limiter: RequestLimiter(limits), timers: timers,
            intents: IntentMaker(
                decryptor: CardDecryptor(sealingKeys: shop.sealingKeys), breakers: breakers, telemetry: telemetry),
            queue: IntentQueue())
        commands = CommandProcessor(
            transactions: transactions, inbox: Inbox(schema: "gateway", topic: .charges, program: "charge-gateway"),
            ticketKeys: shop.ticketKeys,
            merchants: { [registry = shop.registry] in registry }, requests: requests, telemetry: telemetry,
            logger: logger)
    }

    var executor: TimerExecutor {
        TimerExecutor(
            transactions: transactions, intents: requests.intents, acquirers: acquirerClient, breakers: breakers,
            logger: logger)
    }

    /// The timers of one more instance.
    func timers(_ limits: RequestLimiter.Limits = RequestLimiter.Limits()) -> TimerLoop {
        timers(
            sharing: ImmediateRequests(
                limiter: RequestLimiter(limits), timers: TimerQueue(), intents: requests.intents, queue: IntentQueue()))
    }

    private func timers(
        sharing requests: ImmediateRequests, every interval: Duration = .milliseconds(10)
    ) -> TimerLoop {
        TimerLoop(
            pool: pool, timers: requests.timers, intents: requests.queue, limiter: requests.limiter, executor: executor,
            interval: interval, readiness: readiness, logger: logger)
    }

    /// Takes commands as records from the offset on.
    func take(_ list: [Contracts.Command], from offset: Int64 = 0, in partition: Int32 = 0) async throws {
        try await commands.process(
            list.enumerated().map { KafkaRecord($1, at: offset + Int64($0), in: partition) }, of: partition)
    }

    /// The routes of the public port.
    var router: Router {
        NotificationEndpoint(
            transactions: transactions, requests: requests, acquirers: acquirerClient, telemetry: telemetry,
            threads: ThreadPool(name: "notifications"), logger: logger
        ).router(AcquirerDirectory.setups)
    }
}
