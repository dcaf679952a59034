import OrchardServiceKit

/// Whether brokers can be reached, as far as this client knows; changes are logged once.
///
/// Both inputs return whether something changed.
struct BrokerContact {
    /// `nil` until the first answer.
    private(set) var isReachable: Bool?
    /// The state as text.
    private(set) var reason = KafkaProducer.firstReason
    private let addresses: String
    private let logger: Logger

    /// - Parameter addresses: `bootstrap.servers`, for the message of an outage.
    init(_ addresses: String, logger: Logger) {
        self.addresses = addresses
        self.logger = logger
    }

    private var nextProbe = ContinuousClock.now

    /// Whether the brokers should be checked again: at most once a second, because the check blocks.
    mutating func shouldProbe(at now: ContinuousClock.Instant) -> Bool {
        guard isReachable != true, now >= nextProbe else { return false }
        nextProbe = now + .seconds(1)
        return true
    }

    @discardableResult
    mutating func reached() -> Bool {
        guard isReachable != true else { return false }
        isReachable = true
        reason = "Kafka answers"
        logger.notice(reason)
        return true
    }

    /// librdkafka says "2/2 brokers are down" of one broker: it counts the address and the broker behind it.
    @discardableResult
    mutating func lostAll() -> Bool {
        guard isReachable != false else { return false }
        isReachable = false
        let words = "no broker answers at \(addresses)"
        reason = "Kafka cannot be reached: \(words)"
        logger.error("Kafka cannot be reached; trying on", ["reason": words])
        return true
    }

    /// Codes about the connection to the brokers.
    static let codes: Set<KafkaError.Code> = [.allBrokersDown, .transport, .timedOut, .deliveryTimedOut]
}
