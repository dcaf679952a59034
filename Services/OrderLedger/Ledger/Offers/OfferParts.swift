import Contracts

/// Goods of one kind on an offer.
public struct OfferLine: Hashable, Sendable {
    /// What the shop calls them; kept with the offer, never in the journal.
    public let label: String
    /// Price of one piece in minor units.
    public let unitAmount: Int64
    /// Pieces, at least one.
    public let quantity: Int64
    /// Tax on the whole line in minor units, beside the price.
    public let tax: Int64

    public init(label: String, unitAmount: Int64, quantity: Int64 = 1, tax: Int64 = 0) {
        self.label = label
        self.unitAmount = unitAmount
        self.quantity = quantity
        self.tax = tax
    }
}

/// Something taken off the price of the goods: a coupon, a volume discount.
public struct OfferDiscount: Hashable, Sendable {
    public let label: String
    /// What is taken off in minor units, as a positive number.
    public let amount: Int64

    public init(label: String, amount: Int64) {
        self.label = label
        self.amount = amount
    }
}

/// A price beside the goods with a label of its own on the sheet: gift wrap, assembly.
public struct ExtraLine: Hashable, Sendable {
    public let label: String
    /// Minor units.
    public let amount: Int64
    /// Minor units, beside the price.
    public let tax: Int64

    public init(label: String, amount: Int64, tax: Int64 = 0) {
        self.label = label
        self.amount = amount
        self.tax = tax
    }
}

/// A way to ship the goods, as Apple's sheet shows it (`ApplePayShippingMethod`).
public struct ShippingMethod: Hashable, Sendable {
    /// The shop's name for it; the ticket carries the chosen one.
    public let identifier: String
    public let label: String
    /// For example "Arrives on Tuesday"; may be empty.
    public let detail: String
    /// Price in minor units.
    public let amount: Int64
    /// Tax on shipping in minor units, beside the price.
    public let tax: Int64
    /// Where it goes; none for everywhere.
    public let regions: [Region]
    public let arrival: ArrivalDates?

    static let maximumRegions = 50

    public init(
        identifier: String, label: String, detail: String = "", amount: Int64, tax: Int64 = 0, regions: [Region] = [],
        arrival: ArrivalDates? = nil
    ) {
        self.identifier = identifier
        self.label = label
        self.detail = detail
        self.amount = amount
        self.tax = tax
        self.regions = regions
        self.arrival = arrival
    }

    /// Whether goods for a region of the order go by it.
    ///
    /// - Parameter region: nil while the customer has chosen no address: then every method is offered.
    public func serves(_ region: Region?) -> Bool {
        guard let region, !regions.isEmpty else { return true }
        return regions.contains { $0.contains(region) }
    }
}
