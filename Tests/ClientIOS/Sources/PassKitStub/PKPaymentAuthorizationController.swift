// A stub of PassKit for Linux: the sheet and what it asks its delegate. In the place of a person stands a closure.

import Foundation

public enum PKPaymentAuthorizationStatus: Int, Sendable {
    case success, failure
    case pinRequired = 5
    case pinIncorrect, pinLockout
}

public struct PKPaymentErrorKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let contactFieldUserInfoKey = PKPaymentErrorKey(rawValue: "PKPaymentErrorContactField")
    public static let postalAddressUserInfoKey = PKPaymentErrorKey(rawValue: "PKPaymentErrorPostalAddress")
}

public final class PKPaymentMethod: NSObject {
    public var displayName: String?
    public var network: PKPaymentNetwork?
    public var type = PKPaymentMethodType.unknown
}

public final class PKPaymentToken: NSObject {
    public var paymentMethod = PKPaymentMethod()
    public var transactionIdentifier = ""
    public var paymentData = Data()
}

public final class PKPayment: NSObject {
    public var token = PKPaymentToken()
    public var billingContact: PKContact?
    public var shippingContact: PKContact?
    public var shippingMethod: PKShippingMethod?
}

open class PKPaymentRequestUpdate: NSObject {
    public var status = PKPaymentAuthorizationStatus.success
    public var paymentSummaryItems: [PKPaymentSummaryItem]
    public var shippingMethods: [PKShippingMethod] = []

    public init(paymentSummaryItems: [PKPaymentSummaryItem]) { self.paymentSummaryItems = paymentSummaryItems }
}

public final class PKPaymentRequestShippingMethodUpdate: PKPaymentRequestUpdate {}

/// Of the stub alone: in PassKit each update has its errors.
open class PKPaymentRequestUpdateWithErrors: PKPaymentRequestUpdate {
    public let errors: [any Error]?

    public init(errors: [any Error]?, paymentSummaryItems: [PKPaymentSummaryItem]) {
        self.errors = errors
        super.init(paymentSummaryItems: paymentSummaryItems)
    }
}

public final class PKPaymentRequestPaymentMethodUpdate: PKPaymentRequestUpdateWithErrors {}

public final class PKPaymentRequestShippingContactUpdate: PKPaymentRequestUpdateWithErrors {
    public init(
        errors: [any Error]?, paymentSummaryItems: [PKPaymentSummaryItem], shippingMethods: [PKShippingMethod]
    ) {
        super.init(errors: errors, paymentSummaryItems: paymentSummaryItems)
        self.shippingMethods = shippingMethods
    }
}

public final class PKPaymentRequestCouponCodeUpdate: PKPaymentRequestUpdateWithErrors {
    public init(
        errors: [any Error]?, paymentSummaryItems: [PKPaymentSummaryItem], shippingMethods: [PKShippingMethod]
    ) {
        super.init(errors: errors, paymentSummaryItems: paymentSummaryItems)
        self.shippingMethods = shippingMethods
    }
}

public final class PKPaymentAuthorizationResult: NSObject {
    public let status: PKPaymentAuthorizationStatus
    public let errors: [any Error]?

    public init(status: PKPaymentAuthorizationStatus, errors: [any Error]?) {
        (self.status, self.errors) = (status, errors)
    }
}

@MainActor
public protocol PKPaymentAuthorizationControllerDelegate: AnyObject {
    func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingContact contact: PKContact
    ) async -> PKPaymentRequestShippingContactUpdate
    func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectShippingMethod shippingMethod: PKShippingMethod
    ) async -> PKPaymentRequestShippingMethodUpdate
    func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didSelectPaymentMethod paymentMethod: PKPaymentMethod
    ) async -> PKPaymentRequestPaymentMethodUpdate
    func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didChangeCouponCode couponCode: String
    ) async -> PKPaymentRequestCouponCodeUpdate
    func paymentAuthorizationController(
        _ controller: PKPaymentAuthorizationController, didAuthorizePayment payment: PKPayment
    ) async -> PKPaymentAuthorizationResult
    func paymentAuthorizationControllerDidFinish(_ controller: PKPaymentAuthorizationController)
}

@MainActor
public final class PKPaymentAuthorizationController: NSObject {
    public weak var delegate: (any PKPaymentAuthorizationControllerDelegate)?
    /// Of the stub alone: what it was made with.
    public let request: PKPaymentRequest
    /// Of the stub alone: the customer, who looks at the sheet until the closure ends.
    @TaskLocal public static var customer: (@MainActor @Sendable (PKPaymentAuthorizationController) async -> Void)?

    public init(paymentRequest request: PKPaymentRequest) { self.request = request }

    /// Whether the sheet is shown: not without a customer.
    public func present() async -> Bool {
        guard let customer = Self.customer else { return false }
        Task {
            await customer(self)
            delegate?.paymentAuthorizationControllerDidFinish(self)
        }
        return true
    }

    public func dismiss() async {}
}
