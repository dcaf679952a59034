import Contracts
import OrchardJSON

extension PaymentAmounts {
    /// Writes the amounts as answers and webhooks show them, in minor units.
    public func write(to object: inout JSONObjectWriter) {
        object.member("authorised", authorised)
        object.member("captured", captured)
        object.member("currency", currency.code)
        object.member("refundable", refundable)
        object.member("refunded", refunded)
    }
}

extension FollowUpState {
    /// Writes the operation as answers and webhooks show it.
    public func write(to object: inout JSONObjectWriter) {
        object.object("amount") { amount.write(to: &$0) }
        object.member("cause", cause.word)
        object.member("commandId", cause.command?.description)
        object.member("kind", kind.rawValue)
        object.member("operationId", operation.description)
        object.member("paymentId", payment.description)
        object.member("reason", reason)
        object.member("status", status.rawValue)
        object.member("target", target?.rawValue)
    }
}

extension FollowUpCause {
    fileprivate var word: String {
        switch self {
        case .command: "command"
        case .lateSuccess: "lateSuccess"
        }
    }
}
