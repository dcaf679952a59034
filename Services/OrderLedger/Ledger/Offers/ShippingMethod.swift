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

    public init(identifier: String, label: String, detail: String = "", amount: Int64, tax: Int64 = 0) {
        self.identifier = identifier
        self.label = label
        self.detail = detail
        self.amount = amount
        self.tax = tax
    }
}
