/// The type of a card as Apple's sheet names it (`ApplePayPaymentMethodType`, `PKPaymentMethodType`).
///
/// Only the device states it, and nobody signed it. A price that depends on it is checked against the merchant's
/// ``CardRange``s.
public enum CardType: String, Sendable, CaseIterable {
    case credit, debit, prepaid, store
}

/// Card numbers of one type: those that begin with certain digits.
public struct CardRange: Hashable, Sendable {
    /// The first 2 to 12 digits, ASCII.
    public let prefix: String
    public let type: CardType

    /// - Returns: nil unless `prefix` has 2 to 12 ASCII digits.
    public init?(prefix: String, type: CardType) {
        guard (2...12).contains(prefix.utf8.count), prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        self.prefix = prefix
        self.type = type
    }
}

extension [CardRange] {
    /// The type of the card with these ASCII digits: that of the longest prefix; nil when no range has the number.
    public func type(ofCardNumber digits: some Collection<UInt8>) -> CardType? {
        filter { digits.starts(with: $0.prefix.utf8) }.max { $0.prefix.utf8.count < $1.prefix.utf8.count }?.type
    }
}
