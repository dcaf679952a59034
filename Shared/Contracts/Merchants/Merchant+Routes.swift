extension Merchant {
    /// The routes of a ticket: for each kind of card data and each network of the merchant, the first route that takes
    /// them in that currency.
    public func ticketRoutes(in currency: Currency) -> [TicketRoute] {
        var taken: Set<CardType> = []
        return routes.filter { $0.currencies.contains(currency) }.compactMap { route in
            var networks: [PaymentDataType: [CardNetwork]] = [:]
            for kind in PaymentDataType.allCases where route.paymentData.contains(kind) {
                let own = self.networks.filter { network in
                    (route.networks ?? self.networks).contains(network)
                        && taken.insert(CardType(kind: kind, network: network)).inserted
                }
                if !own.isEmpty { networks[kind] = own }
            }
            return networks.isEmpty ? nil : TicketRoute(RouteReference(route, of: id), networks: networks)
        }
    }

    /// The route that a ticket names, if it still leads where it led then.
    public func route(_ reference: RouteReference) -> AcquirerRoute? {
        routes.first { RouteReference($0, of: id) == reference }
    }
}

private struct CardType: Hashable {
    let kind: PaymentDataType
    let network: CardNetwork
}
