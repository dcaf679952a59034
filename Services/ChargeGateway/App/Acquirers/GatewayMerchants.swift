import Acquirers
import Contracts
import KeyFiles
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit

/// The merchants and the connectors with their keys, read together.
struct GatewayMerchants: Sendable {
    let registry: MerchantRegistry
    let directory: AcquirerDirectory
    let certificates: [CertificateExpiry]

    /// `merchants.json` with the keys that it names, read again while the service runs.
    static func file(
        _ path: String, _ links: [AcquirerLink], _ logger: Logger
    ) throws(ConfigurationError) -> CheckedFile<GatewayMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in try read(path, links, logger) }
    }

    private static func read(
        _ path: String, _ links: [AcquirerLink], _ logger: Logger
    ) throws(ConfigurationError) -> CheckedFile<GatewayMerchants>.Reading {
        let file = try MerchantsFile(path: path)
        var problems = AcquirerDirectory.problems(of: file.registry, for: links.map { type(of: $0.setup) })
        var connectors: [AcquirerConnector] = []
        for link in links {
            let connector = problems.gather { () throws(ConfigurationError) in
                try link.setup.connector(for: file.registry, in: file.folder, client: link.client, logger: logger)
            }
            if let connector { connectors.append(connector) }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return file.reading(
            GatewayMerchants(
                registry: file.registry, directory: AcquirerDirectory(connectors.map(\.acquirer)),
                certificates: connectors.flatMap(\.certificates)),
            naming: connectors.flatMap(\.files))
    }

    /// Refuses a new merchants.json that lacks a route of charges in progress. The database has these routes.
    func keepRoutes(_ pool: PostgresPool, logger: Logger) async throws {
        let uses = try await pool.withConnection { try await RouteUse.all(on: $0, logger: logger) }
        let problems = RouteUse.problems(of: uses, in: registry)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}

/// An acquirer's settings with the HTTP client that speaks to it.
struct AcquirerLink: Sendable {
    let setup: any AcquirerSetup
    let client: HTTPClient

    init(_ setup: any AcquirerSetup, logger: Logger, metrics: MetricsRegistry) {
        self.setup = setup
        client = HTTPClient(configuration: setup.client, logger: logger.scoped(to: "http-client"), metrics: metrics)
    }
}
