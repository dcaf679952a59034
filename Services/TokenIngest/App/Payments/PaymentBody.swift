import Contracts
import OrchardJSON

/// The body of `POST /v1/payments`: what the device's `didAuthorizePayment` (or `onpaymentauthorized`) was given.
///
///     {"token": PKPaymentToken, "shippingContact": {"countryCode": "CN", …}, "billingContact": {…}}
struct PaymentBody {
    /// The token's JSON, which ApplePayToken reads.
    let token: [UInt8]
    /// The contacts that were authorised; the sheet showed a cut address before.
    let contact: OrderContact

    /// Token and contacts have about fifty members.
    private static let maximumValues = 1_024

    /// - Throws: `JSONError` naming the member that is missing, unknown or of a wrong type.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes, maximumValues: Self.maximumValues) { reader throws(JSONError) in
            var token: [UInt8]?
            var contact = OrderContact()
            try reader.object { reader, name throws(JSONError) in
                if name == "token" {
                    guard try reader.kind() == .object else {
                        throw reader.error(.type, "the PKPaymentToken as an object is expected")
                    }
                    token = try reader.raw()
                } else if try !contact.read(name, from: &reader) {
                    throw reader.unknownMember()
                }
            }
            return PaymentBody(token: try reader.required(token, "token"), contact: contact)
        }
    }

    private init(token: [UInt8], contact: OrderContact) {
        self.token = token
        self.contact = contact
    }

    /// The card's type as the device claims it (`paymentMethod.type`); nobody signed it.
    var claimedCardType: CardType? { claim("type").flatMap { CardType(rawValue: $0) } }

    /// The card's name as the device claims it (`paymentMethod.displayName`).
    var claimedDisplayName: ClaimedDisplayName? { claim("displayName").flatMap { ClaimedDisplayName($0) } }

    /// A text of the token's `paymentMethod`; nil when it is missing or no text.
    private func claim(_ member: String) -> String? {
        try? JSONReader.read(token, maximumValues: Self.maximumValues) { reader throws(JSONError) in
            var claim: String?
            try reader.object { reader, name throws(JSONError) in
                guard name == "paymentMethod" else { return try reader.skip() }
                try reader.object { reader, name throws(JSONError) in
                    guard name == member, try reader.kind() == .string else { return try reader.skip() }
                    claim = try reader.string()
                }
            }
            return claim
        }
    }
}
