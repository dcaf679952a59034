import OrchardCrypto
import OrchardJSON

/// The bank received money of the acquirer, as the merchant's bank statement tells.
public struct PayOutReceived: Hashable, Sendable {
    /// The account that was paid for, and the day of the bank's booking.
    public let day: SettlementDay
    /// Not zero; negative when the acquirer collected money from the merchant.
    public let amount: Money
    /// The bank's own reference of the payment, once for an account: 1 to ``maximumReference`` visible ASCII characters.
    public let reference: String

    public static let maximumReference = 64

    /// - Returns: nil for an amount of zero, or a reference that is none.
    public init?(day: SettlementDay, amount: Money, reference: String) {
        guard amount.minorUnits != 0, amount.minorUnits != .min, Self.isReference(reference) else { return nil }
        (self.day, self.amount, self.reference) = (day, amount, reference)
    }

    /// Whether a text can be a reference.
    public static func isReference(_ text: String) -> Bool {
        (1...maximumReference).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The name under which the journal has it, a function of account and reference: the same reference with another day
    /// or amount contradicts it.
    public var subject: OrderID { OrderID(hash: name("pay-out")) }

    public var id: EventID { EventID(hash: name("pay-out received")) }

    private func name(_ kind: String) -> [UInt8] {
        var fields = LengthPrefixed()
        fields.append(kind)
        fields.append(day.merchant)
        fields.append(day.acquirer)
        fields.append(day.account)
        fields.append(reference)
        return SHA256.hash(fields.bytes)
    }
}

extension PayOutReceived: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var day = SettlementDay.Reader()
        var (amount, reference): (Money?, String?)
        try reader.object { reader, name throws(JSONError) in
            if try day.take(name, &reader) { return }
            switch name {
            case "amount": amount = try Money(json: &reader)
            case "reference": reference = try reader.string(upTo: Self.maximumReference)
            default: try reader.skip()
            }
        }
        let payOut = Self(
            day: try day.day(reader), amount: try reader.required(amount, "amount"),
            reference: try reader.required(reference, "reference"))
        guard let payOut else { throw reader.error(.value, "an amount that is not zero and a reference are expected") }
        self = payOut
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", day.account)
        object.member("acquirer", day.acquirer)
        object.object("amount") { amount.write(to: &$0) }
        object.member("date", day.date.description)
        object.member("merchantId", day.merchant.description)
        object.member("reference", reference)
    }
}
