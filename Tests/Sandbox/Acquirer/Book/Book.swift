/// What the acquirer really did, and how it answers: a pure value that gets the time with each event.
///
/// Payments are compared with this book, so nothing outside can write into it.
struct Book: Sendable {
    private(set) var transactions: [Transaction] = []
    private(set) var disputes: Set<Dispute> = []
    private var byKey: [TransactionRequest.Key: Int] = [:]
    private var byQueryID: [String: Int] = [:]
    private var faults: FaultPicker
    private var trace = 0
    private var queryTimes: [String: [BeijingTime]] = [:]
    /// The UnionPay day that is kept open beyond its end, YYYYMMDD; nil: the clock's.
    var openDay: String?
    /// The most queries of one transaction within a minute; more are refused with 37.
    let maximumQueries: Int

    /// - Parameter hasPlainAmounts: whether the amount chooses no behaviour.
    init(maximumQueries: Int = 60, hasPlainAmounts: Bool = false) {
        self.maximumQueries = maximumQueries
        faults = FaultPicker(hasPlainAmounts: hasPlainAmounts)
    }

    /// How a submission is answered, and what happens afterwards.
    struct Submission: Hashable, Sendable {
        enum Then: Hashable, Sendable {
            case nothing
            /// The result comes later: ``Book/finish(_:)``.
            case finishLater
            /// The result exists already, and is notified before the answer.
            case notifyFirst
        }
        var code: ResponseCode
        var style: AnswerStyle
        /// The name of the fault that was applied.
        var fault: String
        /// nil when it was not booked.
        var queryID: String?
        var then: Then
    }

    /// What a query shows.
    struct QueryResult: Hashable, Sendable {
        var transaction: Transaction
        /// The result in the query's answer: origRespCode.
        var shown: ResponseCode
        var style: AnswerStyle
    }

    /// A charge that its cardholder disputes, in the file of a day.
    struct Dispute: Hashable, Sendable {
        var orderID: String
        /// MMDD
        var date: String
    }

    /// The UnionPay day that takes what is done now.
    func settlementDay(at now: BeijingTime) -> String { openDay ?? now.settlementDay }

    subscript(queryID: String) -> Transaction? { byQueryID[queryID].map { transactions[$0] } }

    /// Processes a request: books it or loses it, as its fault says. What its original does not allow is booked as
    /// failed.
    ///
    /// - Throws: 12 when the key is in the book already.
    mutating func submit(_ request: TransactionRequest, at now: BeijingTime) throws(Refusal) -> Submission {
        if let index = byKey[request.key] {
            transactions[index].repeats += 1
            throw Refusal(.duplicate)
        }
        let original = original(of: request)
        let fault = faults.pick(for: request, following: original?.amount)
        guard fault.isBooked else {
            faults.lost(request)
            return Submission(
                code: fault.answer, style: fault.style, fault: fault.name, queryID: nil, then: .nothing)
        }
        if let code = refusal(of: request, following: original, at: now) {
            let rule = Fault(name: "rule_\(code.text)", answer: code, result: code, notification: .none)
            let index = book(request, following: original, fault: rule, at: now)
            transactions[index].finish()
            return Submission(
                code: code, style: rule.style, fault: rule.name, queryID: transactions[index].queryID, then: .nothing)
        }
        let queryID = transactions[book(request, following: original, fault: fault, at: now)].queryID
        if let original = index(of: original) { transactions[original].reserve(for: request) }
        let isDecidedAtOnce = fault.answer == fault.result && fault.answer != .success
        if isDecidedAtOnce || fault.notification == .first { finish(queryID) }
        let then: Submission.Then =
            fault.notification == .first ? .notifyFirst : isDecidedAtOnce ? .nothing : .finishLater
        return Submission(
            code: fault.answer, style: fault.style, fault: fault.name, queryID: queryID, then: then)
    }

    /// Writes the result into the book. A failed follow-up leaves its original as it was; a voided completion opens the
    /// hold again.
    mutating func finish(_ queryID: String) {
        guard let index = byQueryID[queryID], transactions[index].state == .pending else { return }
        transactions[index].finish()
        let (done, followed) = (transactions[index], transactions[index].originalQueryID.flatMap { byQueryID[$0] })
        guard let followed else { return }
        if done.state == .failed {
            transactions[followed].release(from: done.request)
        } else if done.kind == .completionVoid,
            let hold = transactions[followed].originalQueryID.flatMap({ byQueryID[$0] })
        {
            transactions[hold].reopen()
        }
    }

    /// Answers a query: what it shows of the transaction, or how it fails.
    ///
    /// - Throws: 34 for a transaction that is not in the book, 37 for too many queries.
    mutating func query(_ message: ACPMessage, at now: BeijingTime) throws(Refusal) -> QueryResult {
        guard let index = index(of: message) else { throw Refusal(.noSuchTransaction) }
        let transaction = transactions[index]
        let recent = queryTimes[transaction.queryID, default: []].filter { $0.seconds > now.seconds - 60 }
        queryTimes[transaction.queryID] = recent + [now]
        guard recent.count < maximumQueries else { throw Refusal(.tooManyQueries) }
        transactions[index].queries += 1
        let fault = transaction.fault
        var style = AnswerStyle.right
        let scripted = transaction.queries < fault.failedQueries.count ? fault.failedQueries[transaction.queries] : nil
        switch scripted ?? faults.storm?.failure(ofQuery: transaction.queries, of: transaction.queryID) {
        case .code(let code): throw Refusal(code)
        case .style(let failure): style = failure
        case nil: break
        }
        return QueryResult(transaction: transaction, shown: transaction.shown, style: style)
    }

    /// Counts a sent notification; false when the book was emptied meanwhile.
    mutating func notificationSent(_ queryID: String) -> Bool {
        guard let index = byQueryID[queryID] else { return false }
        transactions[index].notificationsSent += 1
        return true
    }

    /// The merchant answered 200 or 302.
    mutating func notificationAcknowledged(_ queryID: String) {
        guard let index = byQueryID[queryID] else { return }
        transactions[index].isNotificationAcknowledged = true
    }

    /// Faults by chance from now on; nil for none.
    mutating func begin(_ storm: FaultStorm?) { faults.storm = storm }

    /// Applies this fault to the next requests that match.
    mutating func arm(_ fault: ArmedFault) { faults.arm(fault) }

    /// Sells at a till of the merchant, past every gateway: no request, no notification, only the file tells of it.
    mutating func sellAtTill(of merchant: String, _ orderID: String, amount: Int64, at now: BeijingTime) {
        let message = ACPMessage(["merId": merchant, "orderId": orderID, "txnTime": now.text, "txnAmt": String(amount)])
        let request = TransactionRequest(message, .sale, card: "6259020040003629")
        guard byKey[request.key] == nil else { return }
        let index = book(request, following: nil, fault: .none, at: now)
        transactions[index].finish()
    }

    /// Lets the settlement file have another amount for what was done under an order number.
    mutating func misstate(_ orderID: String, amount: Int64) {
        for index in transactions.indices where transactions[index].request.key.orderID == orderID {
            transactions[index].misstatedAmount = amount
        }
    }

    /// Lists the charge among the disputes of a day's file.
    mutating func dispute(_ dispute: Dispute) { disputes.insert(dispute) }

    private func refusal(
        of request: TransactionRequest, following original: Transaction?, at now: BeijingTime
    ) -> ResponseCode? {
        guard request.kind.hasCard else {
            return FollowUpRules.refusal(
                of: request, following: original, at: now, on: settlementDay(at: now))
        }
        return request.isCardKnown ? nil : .invalidCard
    }

    private mutating func book(
        _ request: TransactionRequest, following original: Transaction?, fault: Fault, at now: BeijingTime
    ) -> Int {
        trace = trace % 999_999 + 1
        let number = String(repeating: "0", count: 6 - String(trace).count) + String(trace)
        let queryID = "78\(now.text.dropFirst(2))\(number)8"
        byKey[request.key] = transactions.count
        byQueryID[queryID] = transactions.count
        transactions.append(
            Transaction(
                request, queryID: queryID, following: original, settlementDay: settlementDay(at: now), fault: fault))
        return transactions.count - 1
    }

    private func original(of request: TransactionRequest) -> Transaction? {
        switch request.original {
        case .queryID(let queryID): self[queryID]
        case .key(let key): byKey[key].map { transactions[$0] }
        case nil: nil
        }
    }

    private func index(of transaction: Transaction?) -> Int? { transaction.flatMap { byQueryID[$0.queryID] } }

    private func index(of message: ACPMessage) -> Int? {
        if message["txnSubType"] == "02" {
            let index = byQueryID[message["queryId"] ?? ""]
            return index.flatMap { transactions[$0].request.key.merchant == message["merId"] ? $0 : nil }
        }
        return byKey[
            TransactionRequest.Key(
                merchant: message["merId"] ?? "", orderID: message["orderId"] ?? "", time: message["txnTime"] ?? "")]
    }
}
