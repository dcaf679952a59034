import OrchardJSON

/// A part of a contact that the sheet asks for (`ApplePayContactField`).
public enum ContactField: String, Sendable, CaseIterable {
    case email, name, phone, phoneticName, postalAddress

    /// The name of the value of `PKContactField`.
    public var passKitName: String {
        switch self {
        case .email: "emailAddress"
        case .phone: "phoneNumber"
        case .name, .phoneticName, .postalAddress: rawValue
        }
    }
}

extension JSONReader {
    /// Reads a list of different ``ContactField``s.
    public mutating func contactFields() throws(JSONError) -> [ContactField] {
        var fields: [ContactField] = []
        try array { reader throws(JSONError) in
            let field: ContactField = try reader.word()
            guard !fields.contains(field) else { throw reader.error(.value, "each field stands once") }
            fields.append(field)
        }
        return fields
    }
}
