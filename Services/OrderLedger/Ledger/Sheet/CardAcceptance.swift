import Contracts
import OrchardJSON

/// The cards that a merchant's routes can charge in a currency: what a sheet may offer.
public struct CardAcceptance: Hashable, Sendable {
    /// What a card and its network must support (`ApplePayMerchantCapability`, `PKMerchantCapability`).
    enum Capability: String, Sendable {
        case threeDSecure = "supports3DS"
        case emv = "supportsEMV"
        case credit = "supportsCredit"
        case debit = "supportsDebit"

        var passKitBit: Int64 {
            switch self {
            case .threeDSecure: 1
            case .emv: 2
            case .credit: 4
            case .debit: 8
            }
        }
    }

    public let currency: Currency
    /// In the merchant's order of preference; none when no route takes the currency.
    public let networks: [CardNetwork]
    let capabilities: [Capability]

    /// - Parameters:
    ///   - environment: the currency's default when nil.
    ///   - captureMode: that of the order.
    ///   - cardTypes: the types that may pay; nil for all. Apple can leave out credit or debit cards only.
    public init(
        _ merchant: Merchant, _ currency: Currency, _ environment: AcquirerRoute.Environment? = nil,
        for captureMode: OrderTicket.CaptureMode = .sale, cardTypes: [CardType]? = nil
    ) {
        let accepted = merchant.ticketRoutes(in: currency, environment, for: captureMode).map(\.networks)
        self.currency = currency
        networks = merchant.networks.filter { network in
            accepted.contains { $0.values.contains { $0.contains(network) } }
        }
        // Apple requires supports3DS of every request.
        var capabilities: [Capability] = [.threeDSecure]
        if accepted.contains(where: { $0[.emv] != nil }) { capabilities.append(.emv) }
        if let cardTypes {
            if cardTypes.contains(.credit) { capabilities.append(.credit) }
            if cardTypes.contains(where: { $0 != .credit }) { capabilities.append(.debit) }
        }
        self.capabilities = capabilities
    }

    /// Every currency that the merchant's routes take, in the order of `merchants.json`.
    public static func all(of merchant: Merchant) -> [CardAcceptance] {
        var currencies: [Currency] = []
        for currency in merchant.routes.flatMap(\.currencies) where !currencies.contains(currency) {
            currencies.append(currency)
        }
        return currencies.map { CardAcceptance(merchant, $0) }.filter { !$0.networks.isEmpty }
    }

    /// Writes the members that a button needs before there is an order.
    public func write(to object: inout JSONObjectWriter) {
        object.member("currencyCode", currency.code)
        object.member("merchantCapabilities", capabilities.map(\.rawValue))
        object.member("supportedNetworks", networks.map(\.rawValue))
    }
}
