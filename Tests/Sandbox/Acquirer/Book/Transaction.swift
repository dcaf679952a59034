/// A sale in the acquirer's book.
struct Transaction: Hashable, Sendable {
    enum State: String, Sendable {
        case pending, success, failed
    }

    let sale: Sale
    /// 78, then YYMMDDhhmmss, the trace number and 8: 21 digits.
    let queryID: String
    /// YYYYMMDD
    let settlementDay: String
    let fault: Fault
    private(set) var state = State.pending
    /// The result; nil while it is pending.
    private(set) var result: ResponseCode?
    /// How often this key was submitted again.
    var repeats = 0
    var queries = 0
    var notificationsSent = 0
    var isNotificationAcknowledged = false

    init(sale: Sale, queryID: String, settlementDay: String, fault: Fault) {
        self.sale = sale
        self.queryID = queryID
        self.settlementDay = settlementDay
        self.fault = fault
    }

    /// Writes the result, once.
    mutating func finish() {
        guard state == .pending else { return }
        result = fault.result
        state = fault.result.movesMoney ? .success : .failed
    }

    var traceNumber: String { String(queryID.dropFirst(14).prefix(6)) }

    /// The fields that a notification and a successful query have in common; `card` is masked or encrypted.
    func resultFields(card: String) -> [String: String] {
        var fields = sale.fields
        fields["backUrl"] = nil
        fields.merge([
            "accNo": card, "accessType": "0", "currencyCode": "156", "exchangeRate": "0", "payCardType": "01",
            "queryId": queryID, "traceNo": traceNumber, "traceTime": String(queryID.dropFirst(4).prefix(10)),
            "txnAmt": String(sale.amount), "settleAmt": String(sale.amount), "settleCurrencyCode": "156",
            "settleDate": String(settlementDay.suffix(4)),
        ]) { _, new in new }
        return fields
    }
}
