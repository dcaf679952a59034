import Contracts
import KeyFiles
import OrchardJOSE
import OrchardServiceKit

/// Reports whether there is a key to seal to: these keys change every day.
struct SealingKeyReadiness: Sendable {
    /// How long before the last key expires the warning begins.
    static let warning = Duration.seconds(6 * 3_600)

    let use: SealingUse
    let sealingKeys: KeySetFile
    let readiness: Readiness

    private var component: String { "\(use.setting) keys" }

    func report(at time: Timestamp) {
        if let key = sealingKeys.keys.newestActive(at: time.seconds) {
            let end = sealingKeys.keys.keys.endOfUse(from: time.seconds).map { Timestamp(seconds: $0) }
            if let end, end - time < Self.warning {
                readiness.warn(
                    component, reason: "sealing to \(key.keyID), no key from \(end) on; publish the next key")
            } else {
                readiness.set(component, ready: true, reason: "sealing to \(key.keyID)")
            }
        } else {
            readiness.set(
                component, ready: false,
                reason: "no key of \(sealingKeys.path) is in use now; publish one of \(use.program)'s")
        }
    }
}

extension JWKSet {
    /// The key to seal to: of the keys in use at `time` (seconds since 1970) the one with the latest start.
    func newestActive(at time: Int64) -> JWK? {
        keys.filter { $0.isActive(at: time) }.max { ($0.notBefore ?? .min) < ($1.notBefore ?? .min) }
    }
}
