import Acquirers
import Contracts
import KeyFiles
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit

/// The merchants with the connectors that know their keys, as they were at one moment.
struct GatewayMerchants: Sendable {
    let registry: MerchantRegistry
    let directory: AcquirerDirectory
    let certificates: [CertificateExpiry]

    /// `merchants.json` with the keys that it names, read again while the service runs.
    static func file(
        _ path: String, _ unionPay: UnionPayConfiguration, _ client: HTTPClient, _ logger: Logger
    ) throws(ConfigurationError) -> CheckedFile<GatewayMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in try read(path, unionPay, client, logger) }
    }

    private static func read(
        _ path: String, _ configuration: UnionPayConfiguration, _ client: HTTPClient, _ logger: Logger
    ) throws(ConfigurationError) -> CheckedFile<GatewayMerchants>.Reading {
        let file = try MerchantsFile(path: path)
        let unionPay = try UnionPay(
            configuration, registry: file.registry, folder: file.folder, client: client, logger: logger)
        let directory = AcquirerDirectory([unionPay])
        let problems = directory.problems(of: file.registry)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return file.reading(
            GatewayMerchants(
                registry: file.registry, directory: directory,
                certificates: unionPay.certificates.map {
                    CertificateExpiry(merchant: $0.merchant, file: $0.file, notAfter: $0.notAfter)
                }),
            naming: file.registry.merchants.flatMap(\.routes).flatMap { [$0.signingKey, $0.signingCertificate] },
            and: [configuration.root, configuration.middle])
    }

    /// Refuses merchants that take a route from charges under way; the database tells which they need.
    func keepRoutes(_ pool: PostgresPool) async throws {
        let uses = try await pool.withConnection { try await RouteUse.all(on: $0) }
        let problems = RouteUse.problems(of: uses, in: registry)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
    }
}
