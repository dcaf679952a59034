import Contracts
import OrchardJOSE

/// The life of a sealing key: published an hour before it seals, seals 24 hours, opens for longer, then it is destroyed.
///
/// The members `nbf` and `exp` of a key, in both sets, say when it seals: token-ingest seals to the newest key in use. The
/// receiver opens with a key from the moment it has it (clocks differ) until ``opening`` is over, whether the key is still
/// in the private set or not.
public struct SealingKeyLifetime: Sendable {
    /// How long before its first use every token-ingest and receiver must have the key.
    public static let lead = Duration.seconds(3_600)
    /// How long it seals.
    public static let sealing = Duration.seconds(86_400)
    /// How long it opens, from its first use.
    let opening: Duration

    /// When a key that is made now starts: in an hour, or as soon as no key of the set seals any more.
    public static func start(after keys: [JWK], now: Timestamp) -> Timestamp {
        let latest = (now + lead).seconds
        return Timestamp(seconds: min(keys.endOfUse(from: now.seconds) ?? latest, latest))
    }

    /// When a key that continues the others starts, made a day before it is needed; nil: it is not time yet.
    public static func next(after keys: [JWK], now: Timestamp) -> Timestamp? {
        guard let end = keys.endOfUse(from: now.seconds), end < (now + sealing).seconds else { return nil }
        return end >= (now + lead).seconds ? Timestamp(seconds: end) : start(after: keys, now: now)
    }

    /// Whether a key that starts at `start` would seal sooner than an hour after now, although another seals then.
    public static func isTooSoon(_ start: Timestamp, after keys: [JWK], now: Timestamp) -> Bool {
        start < now + lead && start < self.start(after: keys, now: now)
    }

    /// Whether the key opens nothing any more. A key without end is never over.
    public func isOver(_ key: JWK, now: Timestamp) -> Bool {
        guard let expires = key.expires else { return false }
        return Timestamp(seconds: expires) + (opening - Self.sealing) <= now
    }
}
