import Contracts
import KeyFiles
import OrchardHTTPServer
import OrchardServiceKit

/// The files that the gateway reads at its start, and again while it runs.
struct GatewayFiles: Sendable {
    let merchants: CheckedFile<GatewayMerchants>
    let ticketKeys: KeySetFile
    let sealingKeys: KeySetFile
    /// Those of the HTTP ports.
    private let ports: [any ReloadedFile]

    /// - Throws: `ConfigurationError` with the problems of all files.
    init(
        _ configuration: GatewayConfiguration, _ links: [AcquirerLink], logger: Logger
    ) throws(ConfigurationError) {
        var problems: [ConfigurationError.Problem] = []
        let merchants = problems.gather { () throws(ConfigurationError) in
            try GatewayMerchants.file(configuration.merchantsFile, links, logger)
        }
        let ticketKeys = problems.gather { () throws(ConfigurationError) in
            try KeySetFile(path: configuration.ticketKeysFile, setting: "ticket.keys", for: .verifying)
        }
        let sealingKeys = problems.gather { () throws(ConfigurationError) in
            try KeySetFile(path: configuration.sealingKeysFile, setting: "sealing.keys", for: .opening)
        }
        guard let merchants, let ticketKeys, let sealingKeys else { throw ConfigurationError(problems: problems) }
        self.merchants = merchants
        self.ticketKeys = ticketKeys
        self.sealingKeys = sealingKeys
        ports = configuration.http.reloadedFiles + configuration.admin.reloadedFiles
    }

    /// Reads the files again and again, and reports what ends soon or is missing.
    func reloader(
        every interval: Duration, _ requiredKeys: RequiredSealingKeys, _ missingMerchants: MissingMerchants,
        metrics: MetricsRegistry, readiness: Readiness, logger: Logger
    ) -> FileReloader {
        let certificates = CertificateMonitor(
            prefix: "charge_gateway", metrics: metrics, readiness: readiness, logger: logger.scoped(to: "keys"))
        let expiry = SealingKeyExpiry(
            .cards, sealingKeys: sealingKeys, metrics: metrics, readiness: readiness, logger: logger.scoped(to: "keys"))
        return FileReloader(
            [ticketKeys, sealingKeys, merchants] + ports, every: interval, readiness: readiness, logger: logger
        ) { [merchants] in
            await requiredKeys.report(readiness)
            expiry.report(at: .now)
            let (current, now) = (merchants.current, Timestamp.now.seconds)
            certificates.report(current.certificates, at: now)
            missingMerchants.update(at: now) { MerchantID($0).flatMap { current.registry[$0] } != nil }
        }
    }
}
