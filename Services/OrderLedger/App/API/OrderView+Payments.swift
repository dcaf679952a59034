import Contracts
import Ledger
import OrchardJSON

extension OrderView {
    /// Writes a payment; for the shop with the acquirer's numbers.
    func write(_ payment: PaymentState, to object: inout JSONObjectWriter) {
        let times = history?.payments[payment.payment]
        if isForShop, let reference = payment.reference {
            object.object("acquirer") { write(reference, payment.result, to: &$0) }
        }
        object.object("amount") { payment.amount.write(to: &$0) }
        if let amounts = state?.amounts(of: payment.payment), amounts.authorised > 0 || amounts.captured > 0 {
            object.object("amounts") { amounts.write(to: &$0) }
        }
        if var card = payment.card {
            card.claimedDisplayName = times?.claimedDisplayName
            object.object("card") { object in
                object.member("claimedDisplayName", card.claimedDisplayName?.text)
                object.member("confirmation", card.confirmation)
                object.member("lastFour", card.lastFour)
                object.member("network", card.network.rawValue)
            }
        }
        object.member("createdAt", times?.createdAt.description)
        object.member("paymentId", payment.payment.description)
        object.member("reason", payment.reason)
        object.member("revision", payment.revision)
        // Not `succeeded`: a shop that reads `succeeded` delivers.
        let needsReview = payment.needsReview(paidBy: state?.paidBy)
        object.member("status", needsReview ? "review" : payment.status.rawValue)
        object.member("updatedAt", times?.updatedAt.description)
    }

    /// What a shop's bookkeeping compares with the acquirer's statements. `serial` is UnionPay's `queryId`.
    private func write(
        _ reference: AcquirerReference, _ result: AcquirerResult?, to object: inout JSONObjectWriter
    ) {
        object.member("account", reference.account)
        object.member("code", result?.code)
        object.member("name", reference.acquirer)
        object.member("orderNumber", reference.orderNumber)
        object.member("serial", result?.serial)
        object.member("settlementDate", result?.settlementDate)
        object.member("time", reference.time.description)
    }
}
