import Contracts
import OrchardJSON

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

extension ShippingMethod {
    init(json reader: inout JSONReader, currency: Currency) throws(JSONError) {
        var (identifier, label, detail, amount): (String?, String?, String, Int64?) = (nil, nil, "", nil)
        var tax: Int64 = 0
        var regions: [Region] = []
        var arrival: ArrivalDates?
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "amount": amount = try reader.amount(in: currency)
            case "detail":
                detail = try reader.string()
                if detail.utf8.count > 128 { throw reader.error(.value, "the string must have at most 128 bytes") }
            case "arrival": arrival = try ArrivalDates(json: &reader)
            case "identifier": identifier = try reader.plainIdentifier()
            case "label": label = try reader.string(upTo: 128)
            case "regions":
                regions = try reader.list(upTo: Self.maximumRegions) { reader throws(JSONError) in try reader.region() }
            case "tax": tax = try reader.amount(in: currency)
            default: throw reader.unknownMember()
            }
        }
        self.init(
            identifier: try reader.required(identifier, "identifier"), label: try reader.required(label, "label"),
            detail: detail, amount: try reader.required(amount, "amount"), tax: tax, regions: regions,
            arrival: arrival)
    }

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        if let arrival { object.object("arrival") { arrival.write(to: &$0) } }
        object.member("detail", detail)
        object.member("identifier", identifier)
        object.member("label", label)
        if !regions.isEmpty { object.member("regions", regions.map(\.description)) }
        object.member("tax", Money(minorUnits: tax, currency: currency).decimal)
    }
}
