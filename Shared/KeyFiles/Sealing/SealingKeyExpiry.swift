import Contracts
import OrchardJOSE
import OrchardServiceKit

/// Warns six hours before the last sealing key ends.
public struct SealingKeyExpiry: Sendable {
    static let warning = Duration.seconds(6 * 3_600)

    let use: SealingUse
    let sealingKeys: KeySetFile
    let readiness: Readiness
    let logger: Logger
    private let remaining: Gauge
    private let warned = Locked(false)

    public init(
        _ use: SealingUse, sealingKeys: KeySetFile, metrics: MetricsRegistry, readiness: Readiness, logger: Logger
    ) {
        self.use = use
        self.sealingKeys = sealingKeys
        self.readiness = readiness
        self.logger = logger
        remaining = metrics.gauge(
            "\(use.prefix)_sealing_remaining_seconds",
            help: "For how long there is a key to seal \(use.data) to; +Inf without end.")
    }

    /// Checks the keys. The service stays ready, because what is sealed can still be opened.
    public func report(at time: Timestamp) {
        let end = sealingKeys.keys.keys.endOfUse(from: time.seconds)
        remaining.set(end.map { Double($0 - time.seconds) } ?? .infinity)
        let isNear = end.map { Timestamp(seconds: $0) - time < Self.warning } ?? false
        let wasNear = warned.withLock { warned in
            defer { warned = isNear }
            return warned
        }
        if isNear, let end {
            let text =
                "no key to seal \(use.data) to from \(Timestamp(seconds: end)) on; set \(use.setting).rotate in one "
                + "\(use.program), or run \(use.program) \(use.command) rotate every hour"
            if !wasNear { logger.warning("\(text)") }
            readiness.warn(use.setting, reason: text)
        } else if wasNear {
            readiness.set(use.setting, ready: true, reason: "the next key is there")
        }
    }
}
