import Contracts
import KeyFiles
import OrchardJOSE
import OrchardServiceKit

/// Warns six hours before the last sealing key ends.
struct SealingKeyExpiry: Sendable {
    static let warning = Duration.seconds(6 * 3_600)
    private static let component = "sealing"

    let sealingKeys: KeySetFile
    let readiness: Readiness
    let logger: Logger
    private let remaining: Gauge
    private let warned = Locked(false)

    init(sealingKeys: KeySetFile, metrics: MetricsRegistry, readiness: Readiness, logger: Logger) {
        self.sealingKeys = sealingKeys
        self.readiness = readiness
        self.logger = logger
        remaining = metrics.gauge(
            "charge_gateway_sealing_remaining_seconds",
            help: "For how long there is a key to seal card data to; +Inf without end.")
    }

    /// Checks the keys. The service stays ready, because sealed card data can still be opened.
    func report(at time: Timestamp) {
        let end = sealingKeys.keys.keys.endOfUse(from: time.seconds)
        remaining.set(end.map { Double($0 - time.seconds) } ?? .infinity)
        let isNear = end.map { Timestamp(seconds: $0) - time < Self.warning } ?? false
        let wasNear = warned.withLock { warned in
            defer { warned = isNear }
            return warned
        }
        if isNear, let end {
            let text =
                "no key to seal card data to from \(Timestamp(seconds: end)) on; set sealing.rotate in one gateway, "
                + "or run charge-gateway keys add every day"
            if !wasNear { logger.warning("\(text)") }
            readiness.set(Self.component, ready: true, reason: "WARNING: \(text)")
        } else if wasNear {
            readiness.set(Self.component, ready: true, reason: "the next key is there")
        }
    }
}
