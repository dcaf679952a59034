import Contracts
import OrchardJOSE

/// The life of a sealing key: published an hour before it seals, seals 24 hours, opens 48, then it is destroyed.
///
/// The members `nbf` and `exp` of a key, in both sets, say when it seals: token-ingest seals to the newest key in use. The
/// gateway opens with a key from the moment it has it (clocks differ) until 24 hours after `exp`, whether the key is still in
/// the private set or not.
enum SealingLife {
    /// How long before its first use every token-ingest and gateway must have the key.
    static let lead = Duration.seconds(3_600)
    /// How long it seals.
    static let sealing = Duration.seconds(86_400)
    /// How long it opens, from its first use.
    static let opening = Duration.seconds(172_800)

    /// When a key that is made now starts: in an hour, or as soon as no key of the set seals any more.
    static func start(after keys: [JWK], now: Timestamp) -> Timestamp {
        let latest = (now + lead).seconds
        var end = now.seconds
        while end < latest, let next = keys.filter({ $0.isActive(at: end) }).map({ $0.expires ?? .max }).max() {
            end = next
        }
        return Timestamp(seconds: min(end, latest))
    }

    /// Whether the key opens nothing any more. A key without end is never over.
    static func isOver(_ key: JWK, now: Timestamp) -> Bool {
        guard let expires = key.expires else { return false }
        return Timestamp(seconds: expires) + (opening - sealing) <= now
    }
}
