import OrchardCrypto

/// A merchant of `merchants.json`, as all three services know it.
public struct Merchant: Hashable, Sendable {
    public let id: MerchantID
    /// Shown on the sheet after "Pay".
    public let displayName: String
    /// ISO 3166-1 code of the country where the merchant does business; Apple's `countryCode`.
    public let countryCode: String
    /// Networks that may pay, in the order of preference.
    public let networks: [CardNetwork]
    /// Apple Pay: the merchant identifier and its payment processing keys.
    public let applePay: ApplePayMerchant
    /// The acquirers and what each accepts, in the order of preference; at most 16.
    public let routes: [AcquirerRoute]
    /// Keys of the shop's servers.
    public let apiKeys: [APIKey]
    /// The first 6 to 12 digits of the store's own cards; none without the network `privateLabel`.
    public let privateLabelRanges: [String]
    /// Types of cards by their numbers, for prices and restrictions that depend on the type.
    public let cardRanges: [CardRange]
    /// Whether the type that the device claims counts where no range has the card's number. Nobody signed it.
    public let trustClaimedCardType: Bool
    /// Whether a token without `applicationData` may pay, for apps that cannot set it. Apple's signature then does not
    /// name the order.
    public let allowMissingApplicationData: Bool
    /// Whether an order may name another payee, shown as "X (via Y)".
    public let allowPayeeName: Bool
    /// For how many days order-ledger keeps the contact of a paid order.
    public let contactRetentionDays: Int
    /// Web origins whose pages may call the devices' routes from a browser (CORS), and ask Apple for sessions.
    public let origins: [String]
    /// The shop's servers that are told what became of its orders; at most 8.
    public let webhooks: [WebhookEndpoint]
    /// The largest amount of one order for each currency, in minor units.
    public let maximumAmounts: [Money]

    /// The limit of one order in `currency`, if there is one.
    public func maximumAmount(in currency: Currency) -> Money? {
        maximumAmounts.first { $0.currency == currency }
    }
}

extension Merchant {
    /// How long contacts are kept when the merchant does not say: returns and claims are over then in most places.
    public static let defaultContactRetentionDays = 180

    /// The environment of an order that names none: live if a live route takes the currency.
    public func environment(for currency: Currency) -> AcquirerRoute.Environment {
        routes.contains { $0.environment == .live && $0.currencies.contains(currency) } ? .live : .test
    }

    /// The network of a card: the store's own where its ranges have the number, else the scheme's.
    ///
    /// - Parameter digits: ASCII digits.
    /// - Returns: nil for a number in no range that is known here.
    public func network(ofCardNumber digits: some Collection<UInt8>) -> CardNetwork? {
        if privateLabelRanges.contains(where: { digits.starts(with: $0.utf8) }) { return .privateLabel }
        return CardNetwork(cardNumber: digits)
    }

    /// Whether the type of a card can be checked, or is trusted.
    public var knowsCardTypes: Bool { trustClaimedCardType || !cardRanges.isEmpty }

    /// The routes of a ticket: for each kind of card data and each network of the merchant, the first route of the
    /// environment that takes them in that currency and capture mode. Only a route that names `privateLabel` takes the
    /// store's own cards.
    ///
    /// - Parameter environment: the default one of the currency when nil.
    public func ticketRoutes(
        in currency: Currency, _ environment: AcquirerRoute.Environment? = nil,
        for captureMode: OrderTicket.CaptureMode = .sale
    ) -> [TicketRoute] {
        let environment = environment ?? self.environment(for: currency)
        var taken: Set<RoutedCard> = []
        let able = routes.filter { route in
            route.environment == environment && route.currencies.contains(currency)
                && route.captureModes.contains(captureMode)
        }
        return able.compactMap { route in
            var networks: [PaymentDataType: [CardNetwork]] = [:]
            for kind in PaymentDataType.allCases where route.paymentData.contains(kind) {
                let own = self.networks.filter { network in
                    (route.networks ?? CardNetwork.schemes).contains(network)
                        && taken.insert(RoutedCard(kind: kind, network: network)).inserted
                }
                if !own.isEmpty { networks[kind] = own }
            }
            return networks.isEmpty ? nil : TicketRoute(RouteReference(route, of: id), networks: networks)
        }
    }

    /// The route that a ticket names, if it still leads to the same account.
    public func route(_ reference: RouteReference) -> AcquirerRoute? {
        routes.first { RouteReference($0, of: id) == reference }
    }
}

private struct RoutedCard: Hashable {
    let kind: PaymentDataType
    let network: CardNetwork
}

/// A key of a shop's server, kept as a hash, so that a copy of the file is not enough to use it.
public struct APIKey: Hashable, Sendable {
    /// What a key allows.
    public enum Scope: String, Sendable, CaseIterable {
        /// To open and cancel orders.
        case orders
        /// To read orders.
        case read
        /// To read and erase customers' contacts.
        case contacts
        /// To read settled days and how they were reconciled.
        case settlements
        /// To take what is held, and to give money back: captures, voids, refunds and final lines.
        case refunds
    }

    /// Names the key in logs.
    public let id: String
    public let scopes: Set<Scope>
    /// SHA-256 of the key.
    let hash: [UInt8]

    /// Whether this is the key with the SHA-256 `digest`. The time does not depend on where they differ.
    func matches(_ digest: [UInt8]) -> Bool { constantTimeEquals(digest, hash) }
}
