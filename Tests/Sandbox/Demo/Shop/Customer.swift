import OrchardCrypto
import OrchardJSON

/// A customer with made-up personal data that must not appear in any topic, table or log.
struct Customer: Sendable {
    let familyName: String
    let phoneNumber: String
    let street: String
    let administrativeArea: String

    init(in area: String = "四川省") {
        let digits = SecureRandom.bytes(8).map { String($0 % 10) }.joined()
        familyName = "Customer-\(digits)"
        phoneNumber = "+86138\(digits)"
        street = "\(digits) Nanjing Road"
        administrativeArea = area
    }

    /// The shipping contact that the sheet gives with the authorised payment.
    var contact: JSONValue {
        [
            "addressLines": [.string(street)], "administrativeArea": .string(administrativeArea), "countryCode": "CN",
            "familyName": .string(familyName), "locality": "Chengdu", "phoneNumber": .string(phoneNumber),
        ]
    }

    var secrets: [String] { [familyName, phoneNumber, street] }
}
