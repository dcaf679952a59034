import Contracts
import OrchardJSON

/// What the customer agrees to pay later, shown on the sheet: a subscription, a later payment, or a balance that is
/// reloaded. The order itself charges only its total.
public struct BillingPlan: Hashable, Sendable {
    /// A payment of the plan, as a line of the sheet.
    public struct Billing: Hashable, Sendable {
        public let label: String
        /// Minor units.
        public let amount: Int64
        public let timing: Timing
    }

    /// When a payment of the plan is due.
    public enum Timing: Hashable, Sendable {
        case recurring(start: Timestamp?, end: Timestamp?, unit: IntervalUnit, count: Int)
        case deferred(Timestamp)
        /// The balance, in minor units, at which it is reloaded.
        case reload(threshold: Int64)
    }

    /// Apple knows no week.
    public enum IntervalUnit: String, Sendable, CaseIterable { case day, hour, minute, month, year }

    /// The member of the order's request.
    public enum Kind: String, Sendable, CaseIterable {
        case automaticReload, deferredPayment, recurringPayment

        /// The member of Apple's request that the plan becomes.
        var sheetMember: String { self == .automaticReload ? "automaticReloadPaymentRequest" : "\(rawValue)Request" }

        /// The member of that object that the payment becomes.
        var billingMember: String {
            switch self {
            case .automaticReload: "automaticReloadBilling"
            case .deferredPayment: "deferredBilling"
            case .recurringPayment: "regularBilling"
            }
        }
    }

    /// Until when the customer may cancel free of charge.
    public struct FreeCancellation: Hashable, Sendable {
        public let date: Timestamp
        /// For example `Asia/Shanghai`.
        public let timeZone: String
    }

    public let kind: Kind
    public let description: String
    public let billing: Billing
    /// Before the regular payments; recurring plans only.
    public let trialBilling: Billing?
    public let agreement: String?
    /// Where the customer changes or ends it: https.
    public let managementURL: String
    /// Where Apple reports changes of a merchant token: https.
    public let tokenNotificationURL: String?
    /// Deferred plans only.
    public let freeCancellation: FreeCancellation?
}

extension BillingPlan {
    /// Reads an object of Apple's members, but for dates (RFC 3339) and the billing objects (``Billing``).
    init(json reader: inout JSONReader, kind: Kind, currency: Currency) throws(JSONError) {
        var (description, agreement, managementURL, tokenNotificationURL): (String?, String?, String?, String?)
        var (billing, trial): (Billing?, Billing?)
        var (freeUntil, timeZone): (Timestamp?, String?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "billingAgreement": agreement = try reader.string(upTo: 500)
            case _ where name == kind.billingMember:
                billing = try Billing(json: &reader, kind: kind, currency: currency)
            case "freeCancellationDate" where kind == .deferredPayment: freeUntil = try reader.timestamp()
            case "freeCancellationDateTimeZone" where kind == .deferredPayment: timeZone = try reader.string(upTo: 64)
            case "managementURL": managementURL = try reader.secureURL()
            case "paymentDescription": description = try reader.string(upTo: 128)
            case "tokenNotificationURL": tokenNotificationURL = try reader.secureURL()
            case "trialBilling" where kind == .recurringPayment:
                trial = try Billing(json: &reader, kind: kind, currency: currency)
            default: throw reader.unknownMember()
            }
        }
        let cancellation: FreeCancellation?
        switch (freeUntil, timeZone) {
        case (let date?, let zone?): cancellation = FreeCancellation(date: date, timeZone: zone)
        case (nil, nil): cancellation = nil
        default:
            throw reader.error(.value, "freeCancellationDate and freeCancellationDateTimeZone stand both or not at all")
        }
        self.init(
            kind: kind, description: try reader.required(description, "paymentDescription"),
            billing: try reader.required(billing, kind.billingMember), trialBilling: trial, agreement: agreement,
            managementURL: try reader.required(managementURL, "managementURL"),
            tokenNotificationURL: tokenNotificationURL, freeCancellation: cancellation)
    }

    /// Writes what ``init(json:kind:currency:)`` reads.
    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        write(to: &object) { $1.write(to: &$0, in: currency) }
    }

    /// Writes the object of Apple's request.
    func writeSheet(to object: inout JSONObjectWriter, in currency: Currency) {
        write(to: &object) { $1.writeLine(to: &$0, in: currency) }
    }

    private func write(
        to object: inout JSONObjectWriter, _ writeBilling: (inout JSONObjectWriter, Billing) -> Void
    ) {
        if kind == .automaticReload { object.object(kind.billingMember) { writeBilling(&$0, billing) } }
        object.member("billingAgreement", agreement)
        if kind == .deferredPayment { object.object(kind.billingMember) { writeBilling(&$0, billing) } }
        object.member("freeCancellationDate", freeCancellation?.date.description)
        object.member("freeCancellationDateTimeZone", freeCancellation?.timeZone)
        object.member("managementURL", managementURL)
        object.member("paymentDescription", description)
        if kind == .recurringPayment { object.object(kind.billingMember) { writeBilling(&$0, billing) } }
        object.member("tokenNotificationURL", tokenNotificationURL)
        if let trialBilling { object.object("trialBilling") { writeBilling(&$0, trialBilling) } }
    }
}

extension BillingPlan.Billing {
    /// Reads `{"label": "Monthly", "amount": "50.00", "intervalUnit": "month", "intervalCount": 1}`; a deferred payment has
    /// `date`, a reload `thresholdAmount`.
    init(json reader: inout JSONReader, kind: BillingPlan.Kind, currency: Currency) throws(JSONError) {
        var (label, amount, threshold): (String?, Int64?, Int64?)
        var (start, end, date): (Timestamp?, Timestamp?, Timestamp?)
        var (unit, count) = (BillingPlan.IntervalUnit.month, 1)
        try reader.object { reader, name throws(JSONError) in
            switch (name, kind) {
            case ("amount", _): amount = try reader.amount(in: currency)
            case ("label", _): label = try reader.string(upTo: 64)
            case ("date", .deferredPayment): date = try reader.timestamp()
            case ("thresholdAmount", .automaticReload): threshold = try reader.amount(in: currency)
            case ("startDate", .recurringPayment): start = try reader.timestamp()
            case ("endDate", .recurringPayment): end = try reader.timestamp()
            case ("intervalUnit", .recurringPayment): unit = try reader.word()
            case ("intervalCount", .recurringPayment): count = try reader.int(in: 1...1_000)
            default: throw reader.unknownMember()
            }
        }
        let timing: BillingPlan.Timing =
            switch kind {
            case .recurringPayment: .recurring(start: start, end: end, unit: unit, count: count)
            case .deferredPayment: .deferred(try reader.required(date, "date"))
            case .automaticReload: .reload(threshold: try reader.required(threshold, "thresholdAmount"))
            }
        self.init(
            label: try reader.required(label, "label"), amount: try reader.required(amount, "amount"), timing: timing)
    }

    func write(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        if case .deferred(let date) = timing { object.member("date", date.description) }
        if case .recurring(let start, let end, let unit, let count) = timing {
            object.member("endDate", end?.description)
            object.member("intervalCount", count)
            object.member("intervalUnit", unit.rawValue)
            object.member("label", label)
            object.member("startDate", start?.description)
        } else {
            object.member("label", label)
        }
        if case .reload(let threshold) = timing {
            object.member("thresholdAmount", Money(minorUnits: threshold, currency: currency).decimal)
        }
    }

    /// Writes an `ApplePayLineItem`.
    func writeLine(to object: inout JSONObjectWriter, in currency: Currency) {
        object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
        if case .reload(let threshold) = timing {
            object.member(
                "automaticReloadPaymentThresholdAmount", Money(minorUnits: threshold, currency: currency).decimal)
        }
        if case .deferred(let date) = timing { object.member("deferredPaymentDate", date.description) }
        object.member("label", label)
        switch timing {
        case .deferred: object.member("paymentTiming", "deferred")
        case .reload: object.member("paymentTiming", "automaticReload")
        case .recurring(let start, let end, let unit, let count):
            object.member("paymentTiming", "recurring")
            object.member("recurringPaymentEndDate", end?.description)
            object.member("recurringPaymentIntervalCount", count)
            object.member("recurringPaymentIntervalUnit", unit.rawValue)
            object.member("recurringPaymentStartDate", start?.description)
        }
        object.member("type", "final")
    }
}
