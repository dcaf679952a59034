import Foundation

#if canImport(PassKit)
    @preconcurrency import PassKit
#else
    import PassKitStub
#endif

/// What the customer agrees to pay later, spelled as in Apple Pay JS.
struct LaterPayment: Decodable, Sendable {
    let paymentDescription: String
    let managementURL: URL
    let billingAgreement: String?
    let tokenNotificationURL: URL?
    let regularBilling: Billing?
    let trialBilling: Billing?
    let deferredBilling: Billing?
    let automaticReloadBilling: Billing?
    let freeCancellationDate: String?
    let freeCancellationDateTimeZone: String?

    struct Billing: Decodable, Sendable {
        let label: String
        let amount: String
        let recurringPaymentStartDate: String?
        let recurringPaymentEndDate: String?
        let recurringPaymentIntervalUnit: String?
        let recurringPaymentIntervalCount: Int?
        let deferredPaymentDate: String?
        let automaticReloadPaymentThresholdAmount: String?

        private static let units: [String: NSCalendar.Unit] = [
            "minute": .minute, "hour": .hour, "day": .day, "month": .month, "year": .year,
        ]

        var price: NSDecimalNumber { NSDecimalNumber(string: amount) }

        func recurringItem() -> PKRecurringPaymentSummaryItem {
            let item = PKRecurringPaymentSummaryItem(label: label, amount: price)
            item.startDate = recurringPaymentStartDate.flatMap(LaterPayment.date)
            item.endDate = recurringPaymentEndDate.flatMap(LaterPayment.date)
            if let unit = recurringPaymentIntervalUnit.flatMap({ Self.units[$0] }) { item.intervalUnit = unit }
            if let count = recurringPaymentIntervalCount { item.intervalCount = count }
            return item
        }
    }

    func recurring() -> PKRecurringPaymentRequest? {
        guard let regularBilling else { return nil }
        let request = PKRecurringPaymentRequest(
            paymentDescription: paymentDescription, regularBilling: regularBilling.recurringItem(),
            managementURL: managementURL)
        request.trialBilling = trialBilling?.recurringItem()
        request.billingAgreement = billingAgreement
        request.tokenNotificationURL = tokenNotificationURL
        return request
    }

    func deferred() -> PKDeferredPaymentRequest? {
        guard let billing = deferredBilling, let date = billing.deferredPaymentDate.flatMap(Self.date) else {
            return nil
        }
        let item = PKDeferredPaymentSummaryItem(label: billing.label, amount: billing.price)
        item.deferredDate = date
        let request = PKDeferredPaymentRequest(
            paymentDescription: paymentDescription, deferredBilling: item, managementURL: managementURL)
        request.billingAgreement = billingAgreement
        request.tokenNotificationURL = tokenNotificationURL
        // Both or none.
        request.freeCancellationDate = freeCancellationDate.flatMap(Self.date)
        request.freeCancellationDateTimeZone = freeCancellationDateTimeZone.flatMap(TimeZone.init(identifier:))
        return request
    }

    func automaticReload() -> PKAutomaticReloadPaymentRequest? {
        guard let billing = automaticReloadBilling, let threshold = billing.automaticReloadPaymentThresholdAmount else {
            return nil
        }
        let item = PKAutomaticReloadPaymentSummaryItem(label: billing.label, amount: billing.price)
        item.thresholdAmount = NSDecimalNumber(string: threshold)
        let request = PKAutomaticReloadPaymentRequest(
            paymentDescription: paymentDescription, automaticReloadBilling: item, managementURL: managementURL)
        request.billingAgreement = billingAgreement
        request.tokenNotificationURL = tokenNotificationURL
        return request
    }

    /// Reads RFC 3339, with or without a fraction of a second.
    private static func date(_ text: String) -> Date? {
        try? Date(text.replacing(#/\.\d+/#, with: ""), strategy: .iso8601)
    }
}
