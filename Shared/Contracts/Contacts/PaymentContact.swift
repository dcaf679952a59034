import OrchardJSON

/// A person's or a store's name and address as Apple's sheet has it (`ApplePayPaymentContact`).
///
/// Personal data: its description shows nothing, so that it reaches no log.
public struct PaymentContact: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
    public var emailAddress: String?
    public var familyName: String?
    public var givenName: String?
    public var phoneNumber: String?
    public var phoneticFamilyName: String?
    public var phoneticGivenName: String?
    public var addressLines: [String]?
    public var locality: String?
    public var subLocality: String?
    public var administrativeArea: String?
    public var subAdministrativeArea: String?
    public var postalCode: String?
    public var country: String?
    /// ISO 3166-1. Devices send lower case, too.
    public var countryCode: String?

    public init() {}

    /// A part of a contact that an error of Apple's sheet can name (`ApplePayErrorContactField`).
    public enum Field: String, Sendable, CaseIterable {
        case phoneNumber, emailAddress, name, phoneticName, postalAddress, addressLines, locality, subLocality
        case postalCode, administrativeArea, subAdministrativeArea, country, countryCode
    }

    public var description: String { "PaymentContact(…)" }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension PaymentContact: ContractValue {
    private static let texts: [(name: String, path: any WritableKeyPath<PaymentContact, String?> & Sendable)] = [
        ("administrativeArea", \.administrativeArea), ("country", \.country), ("countryCode", \.countryCode),
        ("emailAddress", \.emailAddress), ("familyName", \.familyName), ("givenName", \.givenName),
        ("locality", \.locality), ("phoneNumber", \.phoneNumber), ("phoneticFamilyName", \.phoneticFamilyName),
        ("phoneticGivenName", \.phoneticGivenName), ("postalCode", \.postalCode),
        ("subAdministrativeArea", \.subAdministrativeArea), ("subLocality", \.subLocality),
    ]

    /// Reads the members that Apple documents. Others are skipped: a newer iOS may send more. An empty text is no text.
    public init(json reader: inout JSONReader) throws(JSONError) {
        self.init()
        try reader.object { reader, name throws(JSONError) in
            if name == "addressLines" {
                var lines: [String] = []
                try reader.array { reader throws(JSONError) in
                    guard lines.count < 10 else { throw reader.error(.size, "an address has at most 10 lines") }
                    lines.append(try Self.text(&reader) ?? "")
                }
                addressLines = lines.isEmpty ? nil : lines
            } else if let member = Self.texts.first(where: { name == $0.name }) {
                self[keyPath: member.path] = try Self.text(&reader)
            } else {
                try reader.skip()
            }
        }
    }

    private static func text(_ reader: inout JSONReader) throws(JSONError) -> String? {
        if reader.isNull() { return nil }
        let text = try reader.string()
        guard text.utf8.count <= 512 else { throw reader.error(.value, "the string must have at most 512 bytes") }
        return text.isEmpty ? nil : text
    }

    public func write(to object: inout JSONObjectWriter) {
        if let addressLines { object.member("addressLines", addressLines) }
        for member in Self.texts { object.member(member.name, self[keyPath: member.path]) }
    }
}
