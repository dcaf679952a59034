/// What UnionPay allows to follow a transaction.
enum FollowUpRules {
    /// In seconds after the hold: a completion, and the void of the hold.
    static let holdTime: Int64 = 30 * 86_400
    /// In seconds after the original, about eleven months: a refund.
    static let refundTime: Int64 = 335 * 86_400
    /// A completion may take this many hundredths of the hold.
    static let completionPercent: Int64 = 115

    /// The code that refuses a follow-up: 35 for a missing original or a wrong state of it, 36 for what does not fit it,
    /// 45 when it is given back or undone already; nil when it is allowed.
    ///
    /// - Parameter day: the UnionPay day that takes it.
    static func refusal(
        of request: TransactionRequest, following original: Transaction?, at now: BeijingTime, on day: String
    ) -> ResponseCode? {
        guard let original, original.request.key.merchant == request.key.merchant else { return .originalState }
        let products = [original.request.fields["bizType"], "000000"]
        guard request.kind.originals.contains(original.kind), products.contains(request.fields["bizType"]) else {
            return .originalMismatch
        }
        let isReturned = request.kind.returnsMoney && original.refunded >= original.amount
        if original.isVoided || isReturned { return .alreadyReturned }
        guard original.state == .success else { return .originalState }
        let age = now.seconds - (BeijingTime(original.request.key.time)?.seconds ?? 0)
        switch request.kind {
        case .sale, .preauthorisation: return nil
        case .completion:
            if original.isCompleted || age > holdTime { return .originalState }
            return request.amount * 100 > original.amount * completionPercent ? .originalMismatch : nil
        case .preauthorisationVoid:
            if original.isCompleted || age > holdTime { return .originalState }
            return request.amount != original.amount ? .originalMismatch : nil
        case .refund:
            if age > refundTime { return .originalState }
            return request.amount > original.amount - original.refunded ? .originalMismatch : nil
        case .saleVoid, .completionVoid:
            if request.amount != original.amount { return .originalMismatch }
            return original.refunded > 0 || original.settlementDay != day ? .originalState : nil
        }
    }
}
