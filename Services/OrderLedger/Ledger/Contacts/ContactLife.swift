import Contracts

/// How long a stored contact is kept: the paid payment's for the merchant's days, every other until its order ends.
public struct ContactLife: Hashable, Sendable {
    public let receivedAt: Timestamp
    /// For how long the merchant keeps contacts.
    public let retention: Duration
    /// The order's status; nil while the books do not have the order.
    public let order: OrderStatus?
    /// Whether this payment paid the order.
    public let isPaying: Bool
    /// Whether the order's contacts were erased.
    public let isErased: Bool

    public init(receivedAt: Timestamp, retention: Duration, order: OrderStatus?, isPaying: Bool, isErased: Bool) {
        self.receivedAt = receivedAt
        self.retention = retention
        self.order = order
        self.isPaying = isPaying
        self.isErased = isErased
    }

    /// What becomes of the contact.
    public enum Decision: Hashable, Sendable {
        case erase
        /// It stays, and this is decided again then.
        case keep(until: Timestamp)
    }

    /// The first decision comes so long after the contact.
    public static let firstCheck = Duration.seconds(60)
    /// How long a contact of an order that the books do not have is kept: the topic keeps it no longer.
    static let unknownOrder = Duration.seconds(8 * 86_400)
    /// A merchant's shorter time holds for older contacts, too, after so long.
    static let longestGap = Duration.seconds(30 * 86_400)

    /// Decides whether the contact stays.
    ///
    /// - Parameter time: now; the clock of the caller.
    public func decision(at time: Timestamp) -> Decision {
        let age = time - receivedAt
        guard !isErased, age < retention else { return .erase }
        switch order {
        case nil where age >= Self.unknownOrder: return .erase
        case .cancelled, .expired: return .erase
        case .paid where !isPaying, .authorised where !isPaying, .voided where !isPaying: return .erase
        case .paid, .authorised, .voided,
            .review where isPaying:
            return keep(for: Self.longestGap, at: time)
        // Each check waits longer than the one before, so that an order that stays open costs little.
        case nil, .open, .review: return keep(for: min(max(Self.firstCheck, age / 2), .seconds(86_400)), at: time)
        }
    }

    private func keep(for gap: Duration, at time: Timestamp) -> Decision {
        .keep(until: min(time + gap, receivedAt + retention))
    }
}
