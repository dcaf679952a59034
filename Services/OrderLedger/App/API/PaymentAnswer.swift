import Contracts
import Ledger
import OrchardJSON

/// What a device is shown about its payment.
///
/// `processing` until a fact of *its* payment exists: never 404, never another payment's outcome. While the outcome is
/// open, `applePay.status` completes the sheet with success if the app cannot wait: money may have moved, and the shop
/// gets the outcome. Money that an operator must check is `confirming` too: it is neither paid nor declined, and a
/// customer who sees a failure pays again.
struct PaymentAnswer: Hashable, Sendable {
    let order: OrderID
    let payment: PaymentID
    /// nil while nothing is known of the payment.
    let state: PaymentState?
    /// The payment that paid the order.
    let paidBy: PaymentID?
    /// Of the message.
    var language = SheetLanguage.english

    private var needsReview: Bool { state?.needsReview(paidBy: paidBy) ?? false }

    /// Whether waiting longer can change the answer.
    var isFinal: Bool { !needsReview && state?.status.isFinal ?? false }

    /// The status that the device shows.
    var status: String {
        if needsReview { return "confirming" }
        return switch state?.status {
        case nil, .accepted: "processing"
        case .unknown, .conflicted, .lateSuccess, .lateAuthorised: "confirming"
        case .succeeded: "paid"
        case .authorised: "authorised"
        case .authorisationExpired: "expired"
        case .declined, .notCharged: "declined"
        case .refused: "refused"
        }
    }

    /// What to complete the payment with.
    var applePayStatus: SheetResult.Status {
        switch (state?.status, state?.reason.flatMap(DeclineReason.init)) {
        case (.declined, .incorrectPIN): .pinIncorrect
        case (.declined, .pinTriesExceeded): .pinLockout
        case (.declined, _), (.notCharged, _), (.refused, _): .failure
        default: .success
        }
    }

    /// A sentence for the customer; nil when there is nothing to add.
    var message: String? {
        switch status {
        case "paid", "authorised": nil
        case "refused": language.texts.orderTaken
        case "declined": language.texts.declined
        case "expired": language.texts.holdEnded
        default: language.texts.confirming
        }
    }

    /// Writes the members of the answer.
    func write(to object: inout JSONObjectWriter) {
        if let amount = state?.amount { object.object("amount") { amount.write(to: &$0) } }
        object.member("applePay", SheetResult(applePayStatus).json)
        if let card = state?.card {
            object.object("card") { object in
                object.member("lastFour", card.lastFour)
                object.member("network", card.network.rawValue)
            }
        }
        object.member("final", isFinal)
        // Without any fact the payment may still wait in Kafka, or was never sent. The ledger cannot know which.
        object.member("known", state != nil)
        object.member("message", message)
        object.member("orderId", order.description)
        object.member("paymentId", payment.description)
        switch state?.status {
        case .declined, .refused: object.member("reason", state?.reason)
        default: break
        }
        object.member("status", status)
    }
}
