// A stub of PassKit for Linux: names and types as Apple documents them, and nothing behind them. An app uses the real one.

import Foundation

public struct PKPaymentNetwork: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct PKMerchantCapability: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

public struct PKContactField: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let postalAddress = PKContactField(rawValue: "post")
    public static let emailAddress = PKContactField(rawValue: "email")
    public static let phoneNumber = PKContactField(rawValue: "phone")
    public static let name = PKContactField(rawValue: "name")
    public static let phoneticName = PKContactField(rawValue: "phoneticName")
}

public enum PKShippingType: UInt, Sendable { case shipping, delivery, storePickup, servicePickup }
public enum PKShippingContactEditingMode: UInt, Sendable { case available = 1, storePickup }
public enum PKPaymentSummaryItemType: UInt, Sendable { case final, pending }
public enum PKPaymentMethodType: UInt, Sendable { case unknown, debit, credit, prepaid, store, eMoney }

open class PKPaymentSummaryItem: NSObject {
    public var label: String
    public var amount: NSDecimalNumber
    public var type = PKPaymentSummaryItemType.final

    public init(label: String, amount: NSDecimalNumber) { (self.label, self.amount) = (label, amount) }

    public convenience init(label: String, amount: NSDecimalNumber, type: PKPaymentSummaryItemType) {
        self.init(label: label, amount: amount)
        self.type = type
    }
}

public final class PKDateComponentsRange: NSObject {
    public let startDateComponents: DateComponents
    public let endDateComponents: DateComponents

    public init?(start: DateComponents, end: DateComponents) {
        (startDateComponents, endDateComponents) = (start, end)
    }
}

public final class PKShippingMethod: PKPaymentSummaryItem {
    public var identifier: String?
    public var detail: String?
    public var dateComponentsRange: PKDateComponentsRange?
}

public final class PKPaymentRequest: NSObject {
    public var merchantIdentifier = ""
    public var countryCode = ""
    public var currencyCode = ""
    public var supportedNetworks: [PKPaymentNetwork] = []
    public var merchantCapabilities: PKMerchantCapability = []
    public var paymentSummaryItems: [PKPaymentSummaryItem] = []
    public var shippingMethods: [PKShippingMethod]?
    public var shippingType = PKShippingType.shipping
    public var shippingContact: PKContact?
    public var billingContact: PKContact?
    public var requiredShippingContactFields: Set<PKContactField> = []
    public var requiredBillingContactFields: Set<PKContactField> = []
    public var shippingContactEditingMode = PKShippingContactEditingMode.available
    public var applicationData: Data?
    public var supportsCouponCode = false
    public var couponCode: String?
    public var recurringPaymentRequest: PKRecurringPaymentRequest?
    public var deferredPaymentRequest: PKDeferredPaymentRequest?
    public var automaticReloadPaymentRequest: PKAutomaticReloadPaymentRequest?

    /// The networks that this version of iOS knows.
    public static func availableNetworks() -> [PKPaymentNetwork] {
        ["AmEx", "ChinaUnionPay", "Discover", "JCB", "Maestro", "MasterCard", "Mir", "PrivateLabel", "Visa"]
            .map(PKPaymentNetwork.init(rawValue:))
    }
}
