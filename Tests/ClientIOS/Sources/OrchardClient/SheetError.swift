import Foundation

#if canImport(PassKit)
    import Contacts
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// An error that the sheet shows beside the part that is wrong.
struct SheetError: Decodable, Sendable {
    let domain: String
    let code: Int
    let localizedDescription: String
    let contactField: String?
    let postalAddressKey: String?

    private static let fields: [String: PKContactField] = [
        "postalAddress": .postalAddress, "emailAddress": .emailAddress, "phoneNumber": .phoneNumber, "name": .name,
        "phoneticName": .phoneticName,
    ]
    private static let keys = [
        "street": CNPostalAddressStreetKey, "subLocality": CNPostalAddressSubLocalityKey,
        "city": CNPostalAddressCityKey,
        "subAdministrativeArea": CNPostalAddressSubAdministrativeAreaKey, "state": CNPostalAddressStateKey,
        "postalCode": CNPostalAddressPostalCodeKey, "country": CNPostalAddressCountryKey,
        "ISOCountryCode": CNPostalAddressISOCountryCodeKey,
    ]

    func error() -> NSError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
        info[PKPaymentErrorKey.contactFieldUserInfoKey.rawValue] = contactField.flatMap { Self.fields[$0] }
        info[PKPaymentErrorKey.postalAddressUserInfoKey.rawValue] = postalAddressKey.flatMap { Self.keys[$0] }
        return NSError(domain: domain, code: code, userInfo: info)
    }
}
