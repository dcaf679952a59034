import Foundation
import OrchardServiceKit

extension MetricsRegistry {
    /// Shows for how long the certificate of a port is valid.
    ///
    /// - Parameter port: `public` or `admin`.
    package func showEnd(of tls: CheckedFile<TLSContext>, port: String) {
        gauge(
            "http_server_certificate_expiry_seconds", help: "For how long the certificate of a port is valid.",
            labels: [("port", port)]
        ) {
            Double(tls.current.notAfter) - Date().timeIntervalSince1970
        }
    }
}
