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
