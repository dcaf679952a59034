// A stub of PassKit and Contacts for Linux: a contact of the sheet. An app uses the real ones.

import Foundation

public final class PKContact: NSObject {
    public var name: PersonNameComponents?
    public var postalAddress: CNPostalAddress?
    public var phoneNumber: CNPhoneNumber?
    public var emailAddress: String?
}

public final class CNPhoneNumber: NSObject {
    public let stringValue: String
    public init(stringValue: String) { self.stringValue = stringValue }
}

open class CNPostalAddress: NSObject {
    public fileprivate(set) var parts: [String: String] = [:]

    public var street: String { parts[CNPostalAddressStreetKey] ?? "" }
    public var subLocality: String { parts[CNPostalAddressSubLocalityKey] ?? "" }
    public var city: String { parts[CNPostalAddressCityKey] ?? "" }
    public var subAdministrativeArea: String { parts[CNPostalAddressSubAdministrativeAreaKey] ?? "" }
    public var state: String { parts[CNPostalAddressStateKey] ?? "" }
    public var postalCode: String { parts[CNPostalAddressPostalCodeKey] ?? "" }
    public var country: String { parts[CNPostalAddressCountryKey] ?? "" }
    public var isoCountryCode: String { parts[CNPostalAddressISOCountryCodeKey] ?? "" }
}

public final class CNMutablePostalAddress: CNPostalAddress {
    public override var street: String {
        get { super.street }
        set { parts[CNPostalAddressStreetKey] = newValue }
    }
    public override var subLocality: String {
        get { super.subLocality }
        set { parts[CNPostalAddressSubLocalityKey] = newValue }
    }
    public override var city: String {
        get { super.city }
        set { parts[CNPostalAddressCityKey] = newValue }
    }
    public override var subAdministrativeArea: String {
        get { super.subAdministrativeArea }
        set { parts[CNPostalAddressSubAdministrativeAreaKey] = newValue }
    }
    public override var state: String {
        get { super.state }
        set { parts[CNPostalAddressStateKey] = newValue }
    }
    public override var postalCode: String {
        get { super.postalCode }
        set { parts[CNPostalAddressPostalCodeKey] = newValue }
    }
    public override var country: String {
        get { super.country }
        set { parts[CNPostalAddressCountryKey] = newValue }
    }
    public override var isoCountryCode: String {
        get { super.isoCountryCode }
        set { parts[CNPostalAddressISOCountryCodeKey] = newValue }
    }
}

public let CNPostalAddressStreetKey = "street"
public let CNPostalAddressSubLocalityKey = "subLocality"
public let CNPostalAddressCityKey = "city"
public let CNPostalAddressSubAdministrativeAreaKey = "subAdministrativeArea"
public let CNPostalAddressStateKey = "state"
public let CNPostalAddressPostalCodeKey = "postalCode"
public let CNPostalAddressCountryKey = "country"
public let CNPostalAddressISOCountryCodeKey = "ISOCountryCode"
