import OrchardJSON

/// An error that Apple's sheet shows: `ApplePayError` on the web, an `NSError` of `PKPaymentErrorDomain` in an app.
public struct SheetError: Error, Hashable, Sendable {
    /// What is wrong (`ApplePayErrorCode`).
    public enum Code: String, Sendable, CaseIterable {
        case shippingContactInvalid, billingContactInvalid, addressUnserviceable, couponCodeInvalid, couponCodeExpired
        case unknown

        /// The code in `PKPaymentErrorDomain`.
        var passKitCode: Int64 {
            switch self {
            case .unknown: -1
            case .shippingContactInvalid: 1
            case .billingContactInvalid: 2
            case .addressUnserviceable: 3
            case .couponCodeInvalid: 4
            case .couponCodeExpired: 5
            }
        }
    }

    public let code: Code
    public let contactField: PaymentContact.Field?
    /// For the customer.
    public let message: String

    public init(_ code: Code, _ contactField: PaymentContact.Field? = nil, message: String) {
        self.code = code
        self.contactField = contactField
        self.message = message
    }

    /// The arguments of `new ApplePayError(code, contactField, message)`.
    public var json: JSONValue {
        .object(
            [
                ("code", code.rawValue), ("contactField", contactField?.rawValue), ("message", message),
            ].compactMap { name, text in text.map { JSONMember(name, .string($0)) } })
    }

    /// What an app makes an `NSError` of. A part of an address is the field `postalAddress` with a key of
    /// `CNPostalAddress`.
    public var passKitJSON: JSONValue {
        .object(
            [JSONMember("code", .integer(code.passKitCode))]
                + [
                    ("contactField", contactField?.passKitField), ("domain", "PKPaymentErrorDomain"),
                    ("localizedDescription", message), ("postalAddressKey", contactField?.postalAddressKey),
                ].compactMap { name, text in text.map { JSONMember(name, .string($0)) } })
    }
}

/// How a payment ends on the sheet (`ApplePayPaymentAuthorizationResult`, `PKPaymentAuthorizationResult`): the member
/// `applePay` of each answer about a payment.
public struct SheetResult: Hashable, Sendable {
    /// The name of the constant of `ApplePaySession`.
    public enum Status: String, Sendable, CaseIterable {
        case success = "STATUS_SUCCESS"
        case failure = "STATUS_FAILURE"
        case pinIncorrect = "STATUS_PIN_INCORRECT"
        case pinLockout = "STATUS_PIN_LOCKOUT"

        /// The value of `PKPaymentAuthorizationStatus`; the constants of the web have the same.
        public var passKitValue: Int64 {
            switch self {
            case .success: 0
            case .failure: 1
            case .pinIncorrect: 6
            case .pinLockout: 7
            }
        }
    }

    public let status: Status
    public let errors: [SheetError]

    public init(_ status: Status, errors: [SheetError] = []) {
        self.status = status
        self.errors = errors
    }

    public var json: JSONValue {
        [
            "errors": .array(errors.map(\.json)),
            "passKit": ["errors": .array(errors.map(\.passKitJSON)), "status": .integer(status.passKitValue)],
            "status": .string(status.rawValue),
        ]
    }
}

extension PaymentContact.Field {
    /// The name of the value of `PKContactField`.
    fileprivate var passKitField: String { postalAddressKey == nil ? rawValue : "postalAddress" }

    /// The name of the property of `CNPostalAddress`; nil for what is no part of an address.
    fileprivate var postalAddressKey: String? {
        switch self {
        case .phoneNumber, .emailAddress, .name, .phoneticName, .postalAddress: nil
        case .addressLines: "street"
        case .locality: "city"
        case .administrativeArea: "state"
        case .countryCode: "ISOCountryCode"
        case .subLocality, .postalCode, .subAdministrativeArea, .country: rawValue
        }
    }
}
