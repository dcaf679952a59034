import Foundation

#if canImport(PassKit)
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// `passKitRequest` of an opened order: PassKit's names, raw values for its enumerations, decimal text for amounts.
struct PassKitRequest: Decodable, Sendable {
    let merchantIdentifier: String
    let merchantCapabilities: UInt
    let supportedNetworks: [String]
    let countryCode: String
    let currencyCode: String
    let paymentSummaryItems: [SummaryItem]
    let applicationData: Data
    let shippingMethods: [ShippingMethod]?
    let shippingType: UInt?
    let shippingContact: Contact?
    let billingContact: Contact?
    let shippingContactEditingMode: UInt?
    let requiredShippingContactFields: [String]?
    let requiredBillingContactFields: [String]?
    let supportsCouponCode: Bool?
    let couponCode: String?
    let recurringPaymentRequest: LaterPayment?
    let deferredPaymentRequest: LaterPayment?
    let automaticReloadPaymentRequest: LaterPayment?

    private static let fields: [String: PKContactField] = [
        "postalAddress": .postalAddress, "emailAddress": .emailAddress, "phoneNumber": .phoneNumber, "name": .name,
        "phoneticName": .phoneticName,
    ]

    func request() -> PKPaymentRequest {
        let request = PKPaymentRequest()
        request.merchantIdentifier = merchantIdentifier
        request.merchantCapabilities = PKMerchantCapability(rawValue: merchantCapabilities)
        // An older iOS does not know every network.
        let known = PKPaymentRequest.availableNetworks()
        request.supportedNetworks = supportedNetworks.map(PKPaymentNetwork.init(rawValue:)).filter(known.contains)
        request.countryCode = countryCode
        request.currencyCode = currencyCode
        request.paymentSummaryItems = paymentSummaryItems.map { $0.item() }
        // Apple signs its hash into the token, which ties the token to the order.
        request.applicationData = applicationData
        request.shippingMethods = shippingMethods?.map { $0.method() }
        if let type = shippingType.flatMap(PKShippingType.init(rawValue:)) { request.shippingType = type }
        request.shippingContact = shippingContact?.contact()
        request.billingContact = billingContact?.contact()
        if let mode = shippingContactEditingMode.flatMap(PKShippingContactEditingMode.init(rawValue:)) {
            request.shippingContactEditingMode = mode
        }
        request.requiredShippingContactFields = Set(
            (requiredShippingContactFields ?? []).compactMap { Self.fields[$0] })
        request.requiredBillingContactFields = Set((requiredBillingContactFields ?? []).compactMap { Self.fields[$0] })
        request.supportsCouponCode = supportsCouponCode ?? false
        request.couponCode = couponCode
        request.recurringPaymentRequest = recurringPaymentRequest?.recurring()
        request.deferredPaymentRequest = deferredPaymentRequest?.deferred()
        request.automaticReloadPaymentRequest = automaticReloadPaymentRequest?.automaticReload()
        return request
    }
}

struct SummaryItem: Decodable, Sendable {
    let label: String
    let amount: String
    let type: UInt

    func item() -> PKPaymentSummaryItem {
        PKPaymentSummaryItem(
            label: label, amount: NSDecimalNumber(string: amount),
            type: PKPaymentSummaryItemType(rawValue: type) ?? .final)
    }
}

/// Spelled as in Apple Pay JS.
struct ShippingMethod: Decodable, Sendable {
    let identifier: String
    let label: String
    let detail: String
    let amount: String
    let dateComponentsRange: Range?

    struct Range: Decodable, Sendable {
        let startDateComponents: Day
        let endDateComponents: Day
    }

    struct Day: Decodable, Sendable {
        let years: Int
        let months: Int
        let days: Int
        let hours: Int

        var components: DateComponents {
            DateComponents(
                calendar: Calendar(identifier: .gregorian), year: years, month: months, day: days, hour: hours)
        }
    }

    func method() -> PKShippingMethod {
        let method = PKShippingMethod(label: label, amount: NSDecimalNumber(string: amount))
        method.identifier = identifier
        method.detail = detail
        method.dateComponentsRange = dateComponentsRange.flatMap {
            PKDateComponentsRange(start: $0.startDateComponents.components, end: $0.endDateComponents.components)
        }
        return method
    }
}
