import Contracts
import Ledger
import OrchardHTTPTypes
import OrchardJSON

extension Problem {
    /// What the ledger knows to be impossible after the payment: 422 where another value would be taken, 409 where the
    /// state of the order is the reason.
    init(_ refusal: FollowUpRefusal, of order: OrderID) {
        switch refusal.code {
        case .orderUnpaid: self.init(.conflict, code: "order-unpaid")
        case .paymentNotCharged: self.init(.conflict, code: "payment-not-charged")
        case .paymentInProgress: self.init(.conflict, code: "payment-in-progress")
        case .operationInProgress: self.init(.conflict, code: "operation-in-progress")
        case .notCapturable: self.init(.conflict, code: "not-capturable")
        case .authorisationExpired: self.init(.conflict, code: "authorisation-expired")
        case .paymentVoided: self.init(.conflict, code: "payment-voided")
        case .nothingLeft: self.init(.conflict, code: "nothing-left")
        case .totalNotPending: self.init(.conflict, code: "total-not-pending")
        case .alreadyFinalised: self.init(.conflict, code: "already-finalised")
        case .amountAboveHold: self.init(.unprocessableContent, code: "amount-above-hold")
        case .amountAboveRefundable: self.init(.unprocessableContent, code: "amount-above-refundable")
        case .linesNotSold: self.init(.unprocessableContent, code: "lines-not-sold")
        }
        detail = refusal.reason
        members["orderId"] = .string(order.description)
        if let field = refusal.field { members["field"] = .string(field) }
        for (name, amount) in refusal.amounts {
            members[name] = ["currency": .string(amount.currency.code), "minorUnits": .integer(amount.minorUnits)]
        }
    }
}
