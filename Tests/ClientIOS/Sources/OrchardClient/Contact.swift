import Foundation

#if canImport(PassKit)
    import Contacts
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// A contact of the sheet as Orchard reads and writes it: spelled as in Apple Pay JS.
struct Contact: Codable, Equatable, Sendable {
    var givenName: String?
    var familyName: String?
    var phoneticGivenName: String?
    var phoneticFamilyName: String?
    var phoneNumber: String?
    var emailAddress: String?
    var addressLines: [String]?
    var locality: String?
    var subLocality: String?
    var administrativeArea: String?
    var subAdministrativeArea: String?
    var postalCode: String?
    var country: String?
    var countryCode: String?
}

extension Contact {
    init(_ contact: PKContact) {
        givenName = contact.name?.givenName
        familyName = contact.name?.familyName
        phoneticGivenName = contact.name?.phoneticRepresentation?.givenName
        phoneticFamilyName = contact.name?.phoneticRepresentation?.familyName
        phoneNumber = contact.phoneNumber?.stringValue
        emailAddress = contact.emailAddress
        guard let address = contact.postalAddress else { return }
        addressLines = address.street.split(separator: "\n").map(String.init)
        (locality, subLocality) = (address.city, address.subLocality)
        (administrativeArea, subAdministrativeArea) = (address.state, address.subAdministrativeArea)
        (postalCode, country, countryCode) = (address.postalCode, address.country, address.isoCountryCode)
    }

    func contact() -> PKContact {
        let contact = PKContact()
        var name = PersonNameComponents()
        (name.givenName, name.familyName) = (givenName, familyName)
        if phoneticGivenName != nil || phoneticFamilyName != nil {
            var phonetic = PersonNameComponents()
            (phonetic.givenName, phonetic.familyName) = (phoneticGivenName, phoneticFamilyName)
            name.phoneticRepresentation = phonetic
        }
        contact.name = name
        contact.phoneNumber = phoneNumber.map(CNPhoneNumber.init(stringValue:))
        contact.emailAddress = emailAddress
        let address = CNMutablePostalAddress()
        address.street = (addressLines ?? []).joined(separator: "\n")
        (address.city, address.subLocality) = (locality ?? "", subLocality ?? "")
        (address.state, address.subAdministrativeArea) = (administrativeArea ?? "", subAdministrativeArea ?? "")
        (address.postalCode, address.country) = (postalCode ?? "", country ?? "")
        address.isoCountryCode = countryCode ?? ""
        contact.postalAddress = address
        return contact
    }
}
