import OrchardCrypto
import OrchardJSON

/// Which day of which account a settlement fact is about.
public struct SettlementDay: Hashable, Sendable {
    public let merchant: MerchantID
    /// `unionpay`.
    public let acquirer: String
    /// The merchant's number at the acquirer (UnionPay `merId`).
    public let account: String
    public let date: SettlementDate

    public init(merchant: MerchantID, acquirer: String, account: String, date: SettlementDate) {
        self.merchant = merchant
        self.acquirer = acquirer
        self.account = account
        self.date = date
    }

    /// The name under which the journal has what belongs to the day and to no order: it is the record's key, and chooses
    /// its partition.
    public var subject: OrderID {
        var fields = LengthPrefixed()
        fields.append("settlement")
        append(to: &fields)
        return OrderID(hash: SHA256.hash(fields.bytes))
    }

    /// The name of an event of the day, so that a second reading of the file is recognised.
    func eventID(_ kind: String, _ subject: String) -> EventID {
        var fields = LengthPrefixed()
        fields.append(kind)
        append(to: &fields)
        fields.append(subject)
        return EventID(hash: SHA256.hash(fields.bytes))
    }

    private func append(to fields: inout LengthPrefixed) {
        fields.append(merchant)
        fields.append(acquirer)
        fields.append(account)
        fields.append(date.description)
    }
}

extension SettlementDay {
    /// Reads the members of a day out of the object that it is a part of.
    struct Reader {
        private var (merchant, acquirer, account): (MerchantID?, String?, String?) = (nil, nil, nil)
        private var date: SettlementDate?

        /// - Returns: whether the member is one of a day.
        mutating func take(_ name: JSONName, _ reader: inout JSONReader) throws(JSONError) -> Bool {
            switch name {
            case "account": account = try reader.string(upTo: 64)
            case "acquirer": acquirer = try reader.string(upTo: 64)
            case "date": date = try reader.settlementDate()
            case "merchantId": merchant = try reader.identifier()
            default: return false
            }
            return true
        }

        func day(_ reader: JSONReader) throws(JSONError) -> SettlementDay {
            SettlementDay(
                merchant: try reader.required(merchant, "merchantId"),
                acquirer: try reader.required(acquirer, "acquirer"), account: try reader.required(account, "account"),
                date: try reader.required(date, "date"))
        }
    }
}
