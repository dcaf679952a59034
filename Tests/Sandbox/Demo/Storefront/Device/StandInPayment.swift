import OrchardCrypto
import OrchardJSON

/// What the customer authorised in the stand-in's sheet: the body of `POST /sandbox/token`.
///
///     {"card": "everyday", "amount": "53.00", "currency": "CNY", "merchantIdentifier": "merchant.example",
///      "applicationData": "base64 of the payment request's", "session": {…}}
struct StandInPayment {
    let card: String
    let amount: String
    let currency: String
    let merchantIdentifier: String
    /// The bytes that the token carries the hash of; nil for a request without them.
    let applicationData: [UInt8]?
    /// The merchant session, as it was given to `completeMerchantValidation`.
    let session: JSONValue

    /// - Throws: `JSONError` naming the member that is missing, unknown or of a wrong type.
    init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(bytes, maximumDepth: 8, maximumValues: 128) { reader throws(JSONError) in
            var texts: [String: String] = [:]
            var session: JSONValue?
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "card", "amount", "currency", "merchantIdentifier", "applicationData":
                    texts[name.description] = try reader.string(upTo: 1_024)
                case "session": session = try reader.value()
                default: throw reader.unknownMember()
                }
            }
            var data: [UInt8]?
            if let text = texts["applicationData"] {
                guard let bytes = Base64.decode(text) else {
                    throw reader.error(.value, "applicationData is base64")
                }
                data = bytes
            }
            return Self(
                card: try reader.required(texts["card"], "card"),
                amount: try reader.required(texts["amount"], "amount"),
                currency: try reader.required(texts["currency"], "currency"),
                merchantIdentifier: try reader.required(texts["merchantIdentifier"], "merchantIdentifier"),
                applicationData: data, session: try reader.required(session, "session"))
        }
    }

    private init(
        card: String, amount: String, currency: String, merchantIdentifier: String, applicationData: [UInt8]?,
        session: JSONValue
    ) {
        self.card = card
        self.amount = amount
        self.currency = currency
        self.merchantIdentifier = merchantIdentifier
        self.applicationData = applicationData
        self.session = session
    }
}
