/// The parts of a contact that an order asks for. A payment without them is not taken, and nothing else is kept.
public struct RequiredContact: Hashable, Sendable {
    public let shipping: [ContactField]
    public let billing: [ContactField]

    public init(shipping: [ContactField] = [], billing: [ContactField] = []) {
        self.shipping = shipping
        self.billing = billing
    }

    public var isEmpty: Bool { shipping.isEmpty && billing.isEmpty }

    /// What is missing or cannot be right, as the errors of Apple's sheet; none for a contact that will do.
    ///
    /// - Parameter language: of the messages.
    public func errors(in contact: OrderContact, language: SheetLanguage) -> [SheetError] {
        let texts = language.texts
        return Self.faults(shipping, in: contact.shipping).map {
            SheetError(.shippingContactInvalid, $0.field, message: texts[keyPath: $0.text])
        }
            // Apple gives e-mail and telephone with the shipping contact alone.
            + Self.faults(billing.filter { $0 != .email && $0 != .phone }, in: contact.billing).map {
                SheetError(.billingContactInvalid, $0.field, message: texts[keyPath: $0.text])
            }
    }

    /// The contact without what the order did not ask for. An invoice is the customer's own wish.
    public func part(of contact: OrderContact) -> OrderContact {
        OrderContact(
            shipping: contact.shipping.flatMap { $0.part(shipping) },
            billing: contact.billing.flatMap { $0.part(billing) }, invoice: contact.invoice)
    }

    private typealias Fault = (field: PaymentContact.Field, text: KeyPath<SheetTexts, String>)

    private static func faults(_ fields: [ContactField], in contact: PaymentContact?) -> [Fault] {
        fields.compactMap { fault($0, in: contact ?? PaymentContact()) }
    }

    private static func fault(_ field: ContactField, in contact: PaymentContact) -> Fault? {
        switch field {
        case .name:
            contact.givenName == nil && contact.familyName == nil ? (.name, \.nameMissing) : nil
        case .phoneticName:
            contact.phoneticGivenName == nil && contact.phoneticFamilyName == nil
                ? (.phoneticName, \.phoneticNameMissing) : nil
        case .phone:
            (contact.phoneNumber ?? "").count { $0.isNumber } < 3
                ? (.phoneNumber, \.phoneMissing) : nil
        case .email:
            isEmail(contact.emailAddress ?? "") ? nil : (.emailAddress, \.emailMissing)
        case .postalAddress: addressFault(contact)
        }
    }

    /// Addresses have another shape in every country: only what all of them have is required.
    private static func addressFault(_ contact: PaymentContact) -> Fault? {
        guard let code = contact.countryCode, Region.isCountryCode(code.uppercased()) else {
            return (.countryCode, \.countryMissing)
        }
        guard contact.addressLines?.contains(where: { !$0.allSatisfy(\.isWhitespace) }) == true else {
            return (.addressLines, \.streetMissing)
        }
        let places = [
            contact.locality, contact.subLocality, contact.administrativeArea, contact.subAdministrativeArea,
            contact.postalCode,
        ]
        return places.allSatisfy { $0 == nil } ? (.locality, \.cityMissing) : nil
    }

    private static func isEmail(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && !text.contains(where: \.isWhitespace)
    }
}

extension PaymentContact {
    /// Only these parts; nil when there is nothing of them.
    func part(_ fields: [ContactField]) -> PaymentContact? {
        var part = PaymentContact()
        for field in fields {
            switch field {
            case .email: part.emailAddress = emailAddress
            case .name: (part.givenName, part.familyName) = (givenName, familyName)
            case .phone: part.phoneNumber = phoneNumber
            case .phoneticName:
                (part.phoneticGivenName, part.phoneticFamilyName) = (phoneticGivenName, phoneticFamilyName)
            case .postalAddress:
                part.addressLines = addressLines
                (part.locality, part.subLocality) = (locality, subLocality)
                (part.administrativeArea, part.subAdministrativeArea) = (administrativeArea, subAdministrativeArea)
                (part.postalCode, part.country, part.countryCode) = (postalCode, country, countryCode)
            }
        }
        return part == PaymentContact() ? nil : part
    }
}
