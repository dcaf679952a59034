import ApplePayToken
import Contracts
import Foundation
import KafkaBridge
import KeyFiles
import OrchardCrypto
import OrchardHTTPAdmin
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardServiceKit

/// The parts of the service, and the order in which they stop.
struct IngestService {
    private let services: [any Service]
    private let logger: Logger
    private let readiness: Readiness

    /// - Throws: `ConfigurationError` with everything that is wrong in files and settings.
    init(_ configuration: IngestConfiguration, logger: Logger) throws {
        let metrics = MetricsRegistry(service: "token-ingest")
        let readiness = Readiness(logger: logger.scoped(to: "readiness"))
        readiness.begin("kafka", reason: KafkaProducer.firstReason)
        var problems: [ConfigurationError.Problem] = []
        let ticketKeys = problems.gather { () throws(ConfigurationError) in
            try KeySetFile(path: configuration.ticketKeysFile, setting: "ticket.keys", for: .verifying)
        }
        let sealingKeys = problems.gather { () throws(ConfigurationError) in
            try KeySetFile(path: configuration.sealingKeysFile, setting: "sealing.keys", for: .sealing)
        }
        let contactKeys = problems.gather { () throws(ConfigurationError) in
            try KeySetFile(path: configuration.contactKeysFile, setting: "contact.keys", for: .sealing)
        }
        let verifier = problems.gather { () throws(ConfigurationError) in
            try Self.verifier(configuration, logger: logger)
        }
        let merchants = problems.gather { () throws(ConfigurationError) in
            try IngestMerchants.file(configuration.merchantsFile)
        }
        guard let ticketKeys, let sealingKeys, let contactKeys, let verifier, let merchants else {
            throw ConfigurationError(problems: problems)
        }
        logger.info("merchants: \(merchants.current.registry.merchants.map(\.displayName).joined(separator: ", "))")
        for danger in merchants.current.registry.dangers { logger.warning("\(danger)") }
        let missingMerchants = MissingMerchants(
            path: configuration.merchantsFile, prefix: "token_ingest", metrics: metrics, readiness: readiness)
        let certificates = CertificateMonitor(
            prefix: "token_ingest", metrics: metrics, readiness: readiness, logger: logger.scoped(to: "keys"))
        let sealingReadiness = [(SealingUse.cards, sealingKeys), (.contacts, contactKeys)].map {
            SealingKeyReadiness(use: $0, sealingKeys: $1, readiness: readiness)
        }

        var options = KafkaProducer.Options()
        options.deliveryTimeout = configuration.acknowledgement
        options.linger = .zero
        let producer = try KafkaProducer(configuration.kafka, options: options, logger: logger.scoped(to: "kafka")) {
            readiness.set("kafka", ready: $0, reason: $1)
        }
        let publisher = Publisher(sink: producer)
        let paymentMetrics = PaymentMetrics(metrics)
        let rejections = RejectionQueue(publisher: publisher, metrics: paymentMetrics, logger: logger)
        let tickets = TicketCheck(keys: ticketKeys, logger: logger)
        let ticketLimit = RateLimiter(of: .ticket, rate: configuration.ticketLimit, metrics: metrics)
        let endpoint = PaymentEndpoint(
            verifier: verifier, merchants: merchants, missingMerchants: missingMerchants, tickets: tickets,
            sealingKeys: sealingKeys, contactKeys: contactKeys, publisher: publisher,
            admission: Admission(maximum: configuration.maximumPayments, gauge: paymentMetrics.inProgress),
            ticketLimit: ticketLimit, threads: ThreadPool(name: "payments"), rejections: rejections,
            metrics: paymentMetrics, logger: logger, clock: { .now })
        let client = Self.client(configuration.sessionServer, logger: logger, metrics: metrics)
        let sessionMetrics = SessionMetrics(metrics)
        let sessions = SessionEndpoint(
            merchants: merchants, missingMerchants: missingMerchants, tickets: tickets,
            servers: configuration.sessionServer?.servers ?? .apple, client: client,
            admission: Admission(maximum: configuration.maximumSessions, gauge: sessionMetrics.inProgress),
            ticketLimit: ticketLimit, metrics: sessionMetrics, logger: logger.scoped(to: "sessions"), clock: { .now })
        let api = IngestAPI(payments: endpoint, sessions: sessions, merchants: merchants)

        self.logger = logger
        self.readiness = readiness
        services = [
            AdminServer(
                configuration: configuration.admin, readiness: readiness, metrics: metrics,
                logger: logger.scoped(to: "admin")),
            FileReloader(
                [ticketKeys, sealingKeys, contactKeys, merchants] + configuration.http.reloadedFiles
                    + configuration.admin.reloadedFiles, every: configuration.keyReload, readiness: readiness,
                logger: logger
            ) {
                let now = Timestamp.now
                for keys in sealingReadiness { keys.report(at: now) }
                let known = merchants.current
                certificates.report(known.certificates, at: now.seconds)
                missingMerchants.update(at: now.seconds) { MerchantID($0).flatMap { known.registry[$0] } != nil }
            },
            try Self.topics(configuration, readiness, logger),
            producer, rejections, client,
            HTTPServer(
                configuration: configuration.http, router: api.router, logger: logger.scoped(to: "http"),
                metrics: metrics, readiness: readiness),
        ]
    }

    /// Runs until a signal stops it.
    func run() async throws {
        try await ServiceGroup(services: services, logger: logger, readiness: readiness).run()
    }

    /// Checks whether the topics have the number of partitions that the orders use.
    private static func topics(
        _ configuration: IngestConfiguration, _ readiness: Readiness, _ logger: Logger
    ) throws(KafkaError) -> TopicMonitor {
        let admin = try KafkaAdmin(configuration.kafka, timeout: .seconds(3), logger: logger.scoped(to: "kafka"))
        let topics = [Topic.charges, .attempts, .contacts].map {
            TopicSpecification(name: $0.name, partitions: configuration.partitions, settings: $0.settings)
        }
        return TopicMonitor(TopicCheck(topics), on: admin, readiness: readiness)
    }

    /// The client for Apple's session servers, which are at public addresses; it serves all merchants.
    static func client(
        _ test: TestSessionServer?, logger: Logger, metrics: MetricsRegistry
    ) -> HTTPClient {
        var configuration = HTTPClientConfiguration()
        configuration.totalTimeout = SessionEndpoint.timeout
        configuration.maximumBody = SessionAnswer.maximumSize
        configuration.maximumHead = 32 << 10
        configuration.addressPolicy = .publicOnly
        if let test {
            logger.warning(
                "asking \(test.host) for merchant sessions instead of Apple: no device takes them, and it sees who pays"
            )
            configuration.addressPolicy = .any
            configuration.caFile = test.rootFile
        }
        // The endpoint says why there is no session.
        var logger = logger.scoped(to: "apple")
        logger.level = max(logger.level, .error)
        return HTTPClient(configuration: configuration, logger: logger, metrics: metrics)
    }

    /// A verifier with the configured root.
    private static func verifier(
        _ configuration: IngestConfiguration, logger: Logger
    ) throws(ConfigurationError) -> TokenVerifier {
        guard let path = configuration.appleRootFile else { return TokenVerifier() }
        do {
            let root = try X509Certificate(pem: String(contentsOf: URL(filePath: path), encoding: .utf8))
            logger.warning("trusting another root than Apple's: whoever holds its key can make tokens")
            return TokenVerifier(trust: Trust(root: root))
        } catch {
            throw ConfigurationError(problems: [.init(key: "apple.root", reason: "\(path): \(error)")])
        }
    }
}
