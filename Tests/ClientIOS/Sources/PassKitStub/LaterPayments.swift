// A stub of PassKit for Linux: what the customer agrees to pay later. An app uses the real one.

import Foundation

public final class PKRecurringPaymentSummaryItem: PKPaymentSummaryItem {
    public var startDate: Date?
    public var endDate: Date?
    public var intervalUnit = NSCalendar.Unit.month
    public var intervalCount = 1
}

public final class PKDeferredPaymentSummaryItem: PKPaymentSummaryItem {
    public var deferredDate = Date.distantPast
}

public final class PKAutomaticReloadPaymentSummaryItem: PKPaymentSummaryItem {
    public var thresholdAmount = NSDecimalNumber.zero
}

public final class PKRecurringPaymentRequest: NSObject {
    public let paymentDescription: String
    public let regularBilling: PKRecurringPaymentSummaryItem
    public let managementURL: URL
    public var trialBilling: PKRecurringPaymentSummaryItem?
    public var billingAgreement: String?
    public var tokenNotificationURL: URL?

    public init(paymentDescription: String, regularBilling: PKRecurringPaymentSummaryItem, managementURL: URL) {
        (self.paymentDescription, self.regularBilling) = (paymentDescription, regularBilling)
        self.managementURL = managementURL
    }
}

public final class PKDeferredPaymentRequest: NSObject {
    public let paymentDescription: String
    public let deferredBilling: PKDeferredPaymentSummaryItem
    public let managementURL: URL
    public var billingAgreement: String?
    public var tokenNotificationURL: URL?
    public var freeCancellationDate: Date?
    public var freeCancellationDateTimeZone: TimeZone?

    public init(paymentDescription: String, deferredBilling: PKDeferredPaymentSummaryItem, managementURL: URL) {
        (self.paymentDescription, self.deferredBilling) = (paymentDescription, deferredBilling)
        self.managementURL = managementURL
    }
}

public final class PKAutomaticReloadPaymentRequest: NSObject {
    public let paymentDescription: String
    public let automaticReloadBilling: PKAutomaticReloadPaymentSummaryItem
    public let managementURL: URL
    public var billingAgreement: String?
    public var tokenNotificationURL: URL?

    public init(
        paymentDescription: String, automaticReloadBilling: PKAutomaticReloadPaymentSummaryItem, managementURL: URL
    ) {
        (self.paymentDescription, self.automaticReloadBilling) = (paymentDescription, automaticReloadBilling)
        self.managementURL = managementURL
    }
}
