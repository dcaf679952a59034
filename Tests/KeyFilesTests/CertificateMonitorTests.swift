import KeyFiles
import OrchardServiceKit
import Testing

@Suite("Certificates that expire")
struct CertificateMonitorTests {
    private static let day: Int64 = 86_400

    private final class Lines: LogHandler {
        let lines = Locked<[String]>([])
        func log(level: LogLevel, label: String, message: String, metadata: [String: String]) {
            lines.withLock { $0.append("\(level) \(message)") }
        }
    }

    @Test("are always a metric, and a daily warning from 30 days before the end; the service stays ready")
    func warning() {
        let (metrics, readiness, lines) = (MetricsRegistry(), Readiness(), Lines())
        let monitor = CertificateMonitor(
            prefix: "token_ingest", metrics: metrics, readiness: readiness,
            logger: Logger(label: "test", level: .debug, handler: lines))
        let tea = CertificateExpiry(merchant: "Tea", file: "tea.pem", notAfter: 40 * Self.day)
        let silk = CertificateExpiry(merchant: "Silk", file: "silk.pem", notAfter: 900 * Self.day)
        var component: ReadinessReport.Component? { readiness.report.components["certificates"] }

        monitor.report([tea, silk], at: 10 * Self.day)
        #expect(component == nil && lines.lines.withLock { $0.isEmpty })
        #expect(
            metrics.expose().contains(
                "token_ingest_certificate_expiry_seconds{certificate=\"tea.pem\",merchant=\"Tea\"} 2592000"))

        for hour in 1...30 as ClosedRange<Int64> { monitor.report([tea, silk], at: 10 * Self.day + hour * 3_600) }
        #expect(lines.lines.withLock { $0.count } == 2, "once a day")
        #expect(lines.lines.withLock { $0[0] } == "warning the certificate tea.pem of Tea ends in 29 days; renew it")
        #expect(component?.isReady == true && component?.reason.hasPrefix("WARNING: the certificate tea.pem") == true)

        monitor.report([tea], at: 41 * Self.day)
        #expect(component?.reason.contains("has ended") == true)
        monitor.report([silk], at: 41 * Self.day)
        #expect(component?.reason == "none ends within 30 days")
    }
}
