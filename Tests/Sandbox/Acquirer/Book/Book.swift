/// What the acquirer really charged, and how it answers: a pure value that gets the time with each event.
///
/// Payments are compared with this book, so nothing outside can write into it.
struct Book: Sendable {
    private(set) var transactions: [Transaction] = []
    private var byKey: [Sale.Key: Int] = [:]
    private var byQueryID: [String: Int] = [:]
    /// Keys whose first submission was lost on purpose; the next one is accepted.
    private var tripped: Set<Sale.Key> = []
    private var armed: [ArmedFault] = []
    private var trace = 0
    private var queryTimes: [String: [BeijingTime]] = [:]
    /// The most queries of one transaction within a minute; more are refused with 37.
    let maximumQueries: Int

    init(maximumQueries: Int = 60) { self.maximumQueries = maximumQueries }

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

    /// Processes a sale: books it or loses it, as its fault says.
    ///
    /// - Throws: 12 when the key is in the book already.
    mutating func submit(_ sale: Sale, at now: BeijingTime) throws(Refusal) -> Submission {
        if let index = byKey[sale.key] {
            transactions[index].repeats += 1
            throw Refusal(.duplicate)
        }
        let fault = pickFault(for: sale)
        guard fault.isBooked else {
            tripped.insert(sale.key)
            return Submission(
                code: fault.answer, style: fault.style, fault: fault.name, queryID: nil, then: .nothing)
        }
        guard sale.isCardKnown else {
            let rule = Self.unknownCard
            let queryID = book(sale, fault: rule, at: now)
            finish(queryID)
            return Submission(code: rule.answer, style: rule.style, fault: rule.name, queryID: queryID, then: .nothing)
        }
        let queryID = book(sale, fault: fault, at: now)
        let isDecidedAtOnce = fault.answer == fault.result && fault.answer != .success
        if isDecidedAtOnce || fault.notification == .first { finish(queryID) }
        let then: Submission.Then =
            fault.notification == .first ? .notifyFirst : isDecidedAtOnce ? .nothing : .finishLater
        return Submission(
            code: fault.answer, style: fault.style, fault: fault.name, queryID: queryID, then: then)
    }

    /// Writes the result into the book.
    mutating func finish(_ queryID: String) {
        guard let index = byQueryID[queryID] else { return }
        transactions[index].finish()
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
        if transaction.queries < fault.failedQueries.count {
            switch fault.failedQueries[transaction.queries] {
            case .code(let code): throw Refusal(code)
            case .style(let failure): style = failure
            }
        }
        return QueryResult(transaction: transaction, shown: shown(by: transaction), style: style)
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

    /// Applies this fault to the next sales that match.
    mutating func arm(_ fault: ArmedFault) { armed.append(fault) }

    subscript(queryID: String) -> Transaction? { byQueryID[queryID].map { transactions[$0] } }

    private static let unknownCard = Fault(
        name: "rule_61", answer: .invalidCard, result: .invalidCard, notification: .none)

    private mutating func book(_ sale: Sale, fault: Fault, at now: BeijingTime) -> String {
        trace = trace % 999_999 + 1
        let number = String(repeating: "0", count: 6 - String(trace).count) + String(trace)
        let queryID = "78\(now.text.dropFirst(2))\(number)8"
        byKey[sale.key] = transactions.count
        byQueryID[queryID] = transactions.count
        transactions.append(
            Transaction(sale: sale, queryID: queryID, settlementDay: now.settlementDay, fault: fault))
        return queryID
    }

    /// An armed fault comes before the amount's fault. A fault that loses a request applies to a key only once.
    private mutating func pickFault(for sale: Sale) -> Fault {
        if let index = armed.firstIndex(where: { $0.match.matches(sale) }) {
            let fault = armed[index].fault
            armed[index].count -= 1
            if armed[index].count <= 0 { armed.remove(at: index) }
            return fault
        }
        let fault = FaultTable.fault(forAmount: sale.amount)
        let isTransient = ["00", "02", "06", "99"].contains(fault.answer)
        return tripped.contains(sale.key) && isTransient ? .none : fault
    }

    private func index(of message: ACPMessage) -> Int? {
        if message["txnSubType"] == "02" {
            let index = byQueryID[message["queryId"] ?? ""]
            return index.flatMap { transactions[$0].sale.key.merchant == message["merId"] ? $0 : nil }
        }
        return byKey[
            Sale.Key(
                merchant: message["merId"] ?? "", orderID: message["orderId"] ?? "", time: message["txnTime"] ?? "")]
    }

    private func shown(by transaction: Transaction) -> ResponseCode {
        let fault = transaction.fault
        if fault.isHiddenForEver { return .pending }
        let turn = max(0, transaction.queries - fault.failedQueries.count)
        if turn < fault.shown.count { return fault.shown[turn] }
        return transaction.result ?? (["03", "04"].contains(fault.answer) ? fault.answer : .pending)
    }
}
