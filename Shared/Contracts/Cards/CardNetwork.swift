/// A payment network, named as Apple Pay names it in `supportedNetworks`.
///
/// The network that a device names is only displayed. The network that counts is derived from the range of the card
/// number (``init(cardNumber:)``).
public enum CardNetwork: String, Sendable, CaseIterable {
    case amex, chinaUnionPay, discover, jcb, maestro, masterCard, mir, visa
    /// A store's own cards. Their number ranges are the merchant's (``Merchant/privateLabelRanges``).
    case privateLabel

    /// The networks whose number ranges are the same for every merchant.
    public static let schemes = allCases.filter { $0 != .privateLabel }

    /// The text of PassKit's `PKPaymentNetwork`.
    public var passKitName: String {
        switch self {
        case .amex: "AmEx"
        case .chinaUnionPay: "ChinaUnionPay"
        case .discover: "Discover"
        case .jcb: "JCB"
        case .maestro: "Maestro"
        case .masterCard: "MasterCard"
        case .mir: "Mir"
        case .visa: "Visa"
        case .privateLabel: "PrivateLabel"
        }
    }

    /// The name that customers know; nil for a store's own cards, which have the store's.
    public var displayName: String? {
        switch self {
        case .amex: "American Express"
        case .chinaUnionPay: "UnionPay"
        case .masterCard: "Mastercard"
        case .privateLabel: nil
        default: passKitName
        }
    }

    /// The scheme whose range contains the card number (ISO/IEC 7812 issuer identification numbers as the networks
    /// publish them); nil when no range contains it.
    ///
    /// - Parameter digits: ASCII digits; only the first six are read.
    @inlinable
    public init?(cardNumber digits: some Collection<UInt8>) {
        guard digits.count >= 12, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let prefix = digits.prefix(6).reduce(0) { $0 * 10 + Int($1 - 0x30) }
        switch prefix {
        case 340_000...349_999, 370_000...379_999: self = .amex
        case 352_800...358_999: self = .jcb
        case 400_000...499_999: self = .visa
        case 220_000...220_499: self = .mir
        case 222_100...272_099, 510_000...559_999: self = .masterCard
        case 601_100...601_199, 644_000...659_999: self = .discover
        case 620_000...629_999, 810_000...817_199: self = .chinaUnionPay
        case 500_000...509_999, 560_000...589_999, 639_000...639_999, 670_000...679_999: self = .maestro
        default: return nil
        }
    }
}
