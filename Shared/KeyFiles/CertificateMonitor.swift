import OrchardServiceKit

/// Shows how long certificates of merchants and acquirers are valid, and warns 30 days before the first one expires.
public final class CertificateMonitor: Sendable {
    private static let warning: Int64 = 30 * 86_400
    private static let component = "certificates"

    private let prefix: String
    private let metrics: MetricsRegistry
    private let readiness: Readiness
    private let logger: Logger
    /// The day of each certificate's last warning.
    private let warned = Locked<[CertificateExpiry: Int64]>([:])
    private let known = Locked<Set<CertificateExpiry>>([])

    /// - Parameter prefix: of the metric `PREFIX_certificate_expiry_seconds`.
    public init(prefix: String, metrics: MetricsRegistry, readiness: Readiness, logger: Logger) {
        self.prefix = prefix
        self.metrics = metrics
        self.readiness = readiness
        self.logger = logger
    }

    /// Checks the certificates that are in use; `time` in seconds since 1970.
    public func report(_ certificates: [CertificateExpiry], at time: Int64) {
        let gone = known.withLock { known in
            defer { known = Set(certificates) }
            return known.subtracting(certificates)
        }
        for old in gone where !certificates.contains(where: { $0.merchant == old.merchant && $0.file == old.file }) {
            gauge(old).set(.nan)
        }
        for certificate in certificates { gauge(certificate).set(Double(certificate.notAfter - time)) }
        let near = certificates.filter { $0.notAfter - time < Self.warning }.sorted { $0.notAfter < $1.notAfter }
        for certificate in near where isFirst(certificate, day: time / 86_400) {
            logger.warning(Self.text(certificate, time), ["merchant": certificate.merchant])
        }
        if let first = near.first {
            let more = near.count > 1 ? "; so do \(near.count - 1) more" : ""
            readiness.warn(Self.component, reason: "\(Self.text(first, time))\(more)")
        } else if readiness.report.components[Self.component] != nil {
            readiness.set(Self.component, ready: true, reason: "none ends within 30 days")
        }
    }

    private func gauge(_ certificate: CertificateExpiry) -> Gauge {
        metrics.gauge(
            "\(prefix)_certificate_expiry_seconds",
            help: "For how long a certificate of a merchant or an acquirer is valid.",
            labels: [("merchant", certificate.merchant), ("certificate", certificate.file)])
    }

    private func isFirst(_ certificate: CertificateExpiry, day: Int64) -> Bool {
        warned.withLock { $0.updateValue(day, forKey: certificate) != day }
    }

    private static func text(_ certificate: CertificateExpiry, _ time: Int64) -> String {
        let days = (certificate.notAfter - time) / 86_400
        let end = certificate.notAfter <= time ? "has ended" : "ends in \(days) days"
        return "the certificate \(certificate.file) of \(certificate.merchant) \(end); renew it"
    }
}

/// A certificate that must be renewed in time.
public struct CertificateExpiry: Hashable, Sendable {
    /// The merchant; of a certificate that messages are judged by, the acquirer.
    public let merchant: String
    /// Its file, as `merchants.json` names it, or the setting that names it.
    public let file: String
    /// Its last second, since 1970.
    public let notAfter: Int64

    public init(merchant: String, file: String, notAfter: Int64) {
        self.merchant = merchant
        self.file = file
        self.notAfter = notAfter
    }
}
