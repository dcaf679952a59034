import OrchardCrypto
import OrchardJSON

/// The gateway read the acquirer's file of a day, whole: how many rows it has, and what they sum to.
public struct SettlementFileRecorded: Hashable, Sendable {
    public let day: SettlementDay
    /// SHA-256 over the files inside: the same when the acquirer packs them anew.
    public let digest: [UInt8]
    public let rows: Int64
    public let disputes: Int64
    public let currency: Currency
    /// What was taken from cards, in minor units.
    public let taken: Int64
    /// What was given back to cards, in minor units.
    public let returned: Int64
    /// The acquirer's fees less fees that it gave back, in minor units.
    public let fees: Int64
    /// What the acquirer owes for the day: taken − returned − fees. Negative when the merchant owes it.
    public let net: Int64

    public init(
        day: SettlementDay, digest: [UInt8], rows: Int64, disputes: Int64, currency: Currency, taken: Int64,
        returned: Int64, fees: Int64, net: Int64
    ) {
        self.day = day
        self.digest = digest
        (self.rows, self.disputes, self.currency) = (rows, disputes, currency)
        (self.taken, self.returned, self.fees, self.net) = (taken, returned, fees, net)
    }

    /// A day's file is recorded once; another content is a contradiction.
    public var id: EventID { day.eventID("settlement file", "") }
}

extension SettlementFileRecorded: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var day = SettlementDay.Reader()
        var (digest, rows, disputes, currency): ([UInt8]?, Int64?, Int64?, Currency?)
        var (taken, returned, fees, net): (Int64?, Int64?, Int64?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            if try day.take(name, &reader) { return }
            switch name {
            case "currency": currency = try reader.currency()
            case "digest": digest = try reader.hex(bytes: 32)
            case "disputes": disputes = try reader.minorUnits()
            case "fees": fees = try reader.int64()
            case "net": net = try reader.int64()
            case "returned": returned = try reader.minorUnits()
            case "rows": rows = try reader.minorUnits()
            case "taken": taken = try reader.minorUnits()
            default: try reader.skip()
            }
        }
        self.init(
            day: try day.day(reader), digest: try reader.required(digest, "digest"),
            rows: try reader.required(rows, "rows"), disputes: try reader.required(disputes, "disputes"),
            currency: try reader.required(currency, "currency"), taken: try reader.required(taken, "taken"),
            returned: try reader.required(returned, "returned"), fees: try reader.required(fees, "fees"),
            net: try reader.required(net, "net"))
        let (left, first) = self.taken.subtractingReportingOverflow(self.returned)
        let (owed, second) = left.subtractingReportingOverflow(self.fees)
        guard !first, !second, owed == self.net else {
            throw reader.error(.value, "net is not taken less returned less fees")
        }
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", day.account)
        object.member("acquirer", day.acquirer)
        object.member("currency", currency.code)
        object.member("date", day.date.description)
        object.member("digest", Hex.encode(digest))
        object.member("disputes", disputes)
        object.member("fees", fees)
        object.member("merchantId", day.merchant.description)
        object.member("net", net)
        object.member("returned", returned)
        object.member("rows", rows)
        object.member("taken", taken)
    }
}
