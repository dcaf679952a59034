import Contracts
import OrchardJSON

/// What the customer changed in the sheet, as Apple's event has it.
public enum SheetChange: Hashable, Sendable {
    /// The identifier of the method.
    case shippingMethod(String)
    /// Before the payment is authorised, Apple leaves out most of the address.
    case shippingContact(PaymentContact)
    /// Empty when the customer has removed the code.
    case couponCode(String)
    /// The type of the selected card; nil when the device does not say.
    case paymentMethod(CardType?)

    public var kind: SheetUpdate.Kind {
        switch self {
        case .shippingMethod: .shippingMethod
        case .shippingContact: .shippingContact
        case .couponCode: .couponCode
        case .paymentMethod: .paymentMethod
        }
    }
}

extension SheetChange {
    /// Reads the body of a callback: one member, named and formed as Apple's event has it. `shippingMethod` may be the
    /// identifier alone.
    public init(_ kind: SheetUpdate.Kind, parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes) { reader throws(JSONError) in
            var change: SheetChange?
            try reader.object { reader, name throws(JSONError) in
                guard name == kind.rawValue else { throw reader.unknownMember() }
                change = try Self.change(kind, &reader)
            }
            return try reader.required(change, kind.rawValue)
        }
    }

    private static func change(_ kind: SheetUpdate.Kind, _ reader: inout JSONReader) throws(JSONError) -> SheetChange {
        switch kind {
        case .couponCode:
            let code = try reader.string()
            guard code.utf8.count <= 256 else { throw reader.error(.value, "the string must have at most 256 bytes") }
            return .couponCode(code)
        case .paymentMethod:
            let type = try member("type", &reader) { reader throws(JSONError) in try reader.string() }
            return .paymentMethod(type.flatMap { CardType(rawValue: $0) })
        case .shippingContact: return .shippingContact(try PaymentContact(json: &reader))
        case .shippingMethod:
            guard try reader.kind() == .object else { return .shippingMethod(try reader.string(upTo: 64)) }
            let identifier = try member("identifier", &reader) { reader throws(JSONError) in
                try reader.string(upTo: 64)
            }
            return .shippingMethod(try reader.required(identifier, "identifier"))
        }
    }

    /// Reads one member of an object of Apple's, and skips the others.
    private static func member(
        _ wanted: String, _ reader: inout JSONReader, _ read: (inout JSONReader) throws(JSONError) -> String
    ) throws(JSONError) -> String? {
        var value: String?
        try reader.object { reader, name throws(JSONError) in
            if name == wanted, !reader.isNull() { value = try read(&reader) } else { try reader.skip() }
        }
        return value
    }
}

extension OfferRequest {
    /// The choice after a change of the sheet, and what the sheet shows as wrong.
    ///
    /// An address that is not served, and a card that may not pay, leave the choice as it is. A wrong coupon code leaves no
    /// coupon: the customer has replaced the code.
    public func choice(
        after change: SheetChange, from choice: OfferChoice, at time: Timestamp
    ) throws(OfferError) -> (choice: OfferChoice, errors: [SheetError]) {
        var choice = choice
        let texts = language.texts
        switch change {
        case .shippingMethod(let identifier):
            guard let method = shippingMethods.first(where: { $0.identifier == identifier }),
                method.serves(choice.region)
            else {
                throw OfferError(
                    .unknownShippingMethod, field: "shippingMethod",
                    "no shipping method with this identifier goes to the chosen address")
            }
            choice.shippingMethod = identifier
        case .shippingContact(let contact):
            do throws(UnservedAddress) {
                choice.region = try region(of: contact, isCut: true)
            } catch {
                return (
                    choice,
                    [SheetError(.addressUnserviceable, error.field, message: texts.addressUnserviceable)]
                )
            }
            let served = shippingMethods.filter { $0.serves(choice.region) }
            if !served.contains(where: { $0.identifier == choice.shippingMethod }) {
                choice.shippingMethod = served.first?.identifier
            }
        case .couponCode(let code):
            choice.coupon = nil
            if code.isEmpty { return (choice, []) }
            guard let number = number(ofCoupon: code) else {
                return (choice, [SheetError(.couponCodeInvalid, message: texts.couponCodeInvalid)])
            }
            if let end = coupons[number - 1].expiresAt, time > end {
                return (choice, [SheetError(.couponCodeExpired, message: texts.couponCodeExpired)])
            }
            let without = choice
            choice.coupon = number
            // A coupon that leaves nothing to pay cannot be used.
            if (try? Offer(self, revision: 1, choice)) == nil {
                return (without, [SheetError(.couponCodeInvalid, message: texts.couponCodeInvalid)])
            }
        case .paymentMethod(let type):
            guard cardTypes != nil || !cardTypePrices.isEmpty else { return (choice, []) }
            if let cardTypes, type.map({ !cardTypes.contains($0) }) ?? true {
                return (choice, [SheetError(.unknown, message: texts.cardTypeNotAccepted)])
            }
            choice.cardType = cardTypePrices.isEmpty ? nil : type
        }
        return (choice, [])
    }
}
