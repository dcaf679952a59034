import Contracts
import OrchardJSON

/// A transaction that moved money, with what a person must look at.
///
/// It is no difference: ours and theirs may agree to the last minor unit.
public struct Remarked: Hashable, Sendable {
    public let order: OrderID
    public let transaction: ExpectedSettlement
    public let remark: String

    /// - Returns: nil for a transaction that nobody remarks anything on.
    init?(_ transaction: ExpectedSettlement, of order: OrderID) {
        guard let remark = transaction.remark else { return nil }
        (self.order, self.transaction, self.remark) = (order, transaction, remark)
    }

    func write(to object: inout JSONObjectWriter) {
        object.member("amount", transaction.amount.decimal)
        object.member("currency", transaction.amount.currency.code)
        object.member("kind", transaction.kind.rawValue)
        object.member("operationId", transaction.operation.description)
        object.member("orderId", order.description)
        object.member("paymentId", transaction.payment.description)
        object.member("remark", remark)
        object.member("serial", transaction.serial)
    }
}
