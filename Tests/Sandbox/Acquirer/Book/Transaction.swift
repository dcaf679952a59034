/// A transaction in the acquirer's book.
struct Transaction: Hashable, Sendable {
    enum State: String, Sendable {
        case pending, success, failed
    }

    let request: TransactionRequest
    /// 78, then YYMMDDhhmmss, the trace number and 8: 21 digits.
    let queryID: String
    /// The `queryId` of what it follows.
    let originalQueryID: String?
    /// The card that it is about, in clear.
    let card: String
    /// YYYYMMDD
    let settlementDay: String
    let fault: Fault
    private(set) var state = State.pending
    /// The result; nil while it is pending.
    private(set) var result: ResponseCode?
    /// What accepted and successful refunds give back of it, in fen.
    private(set) var refunded: Int64 = 0
    /// Whether a void of it was accepted or done.
    private(set) var isVoided = false
    /// Whether a completion of this preauthorisation was accepted or done.
    private(set) var isCompleted = false
    /// What the settlement file says that it took or returned, where that is not its amount.
    var misstatedAmount: Int64?
    /// How often this key was submitted again.
    var repeats = 0
    var queries = 0
    var notificationsSent = 0
    var isNotificationAcknowledged = false

    init(
        _ request: TransactionRequest, queryID: String, following original: Transaction?, settlementDay: String,
        fault: Fault
    ) {
        self.request = request
        self.queryID = queryID
        originalQueryID = original?.queryID
        card = original?.card ?? request.card
        self.settlementDay = settlementDay
        self.fault = fault
    }

    var kind: TransactionKind { request.kind }
    var amount: Int64 { request.amount }

    /// What the settlement file says of it.
    var filedAmount: Int64 { misstatedAmount ?? amount }

    /// Writes the result, once.
    mutating func finish() {
        guard state == .pending else { return }
        result = fault.result
        state = fault.result.movesMoney ? .success : .failed
    }

    /// A follow-up was accepted: what it takes is not there for another one.
    mutating func reserve(for followUp: TransactionRequest) {
        switch followUp.kind {
        case .sale, .preauthorisation: break
        case .completion: isCompleted = true
        case .refund: refunded += followUp.amount
        case .saleVoid, .preauthorisationVoid, .completionVoid: isVoided = true
        }
    }

    /// The follow-up failed: what it took is there again.
    mutating func release(from followUp: TransactionRequest) {
        switch followUp.kind {
        case .sale, .preauthorisation: break
        case .completion: isCompleted = false
        case .refund: refunded -= followUp.amount
        case .saleVoid, .preauthorisationVoid, .completionVoid: isVoided = false
        }
    }

    /// The completion of this preauthorisation was voided: the hold is open again.
    mutating func reopen() { isCompleted = false }

    /// What a query shows of it, when the query is its ``queries``th.
    var shown: ResponseCode {
        if fault.isHiddenForEver { return .pending }
        let turn = max(0, queries - fault.failedQueries.count)
        if turn < fault.shown.count { return fault.shown[turn] }
        return result ?? (["03", "04"].contains(fault.answer) ? fault.answer : .pending)
    }

    var traceNumber: String { String(queryID.dropFirst(14).prefix(6)) }
    /// MMDDhhmmss
    var traceTime: String { String(queryID.dropFirst(4).prefix(10)) }

    /// The fields that a notification and a successful query have in common; `card` is masked or encrypted.
    func resultFields(card: String) -> [String: String] {
        var fields = request.fields
        fields["backUrl"] = nil
        fields.merge([
            "accNo": card, "accessType": "0", "currencyCode": "156", "exchangeRate": "0", "payCardType": "01",
            "queryId": queryID, "origQryId": originalQueryID ?? "", "traceNo": traceNumber, "traceTime": traceTime,
            "txnAmt": String(amount), "settleAmt": String(amount), "settleCurrencyCode": "156",
            "settleDate": String(settlementDay.suffix(4)),
        ]) { _, new in new }
        return fields
    }

    /// First six and last four digits of the card number.
    var maskedCard: String {
        let hidden = max(0, card.count - 10)
        return hidden == 0 ? card : card.prefix(6) + String(repeating: "*", count: hidden) + card.suffix(4)
    }
}
