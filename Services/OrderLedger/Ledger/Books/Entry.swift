import Contracts

/// A journal entry: postings in one currency that add up to zero, made by one fact, never changed.
public struct Entry: Hashable, Sendable {
    /// The record that posted it.
    public let position: JournalPosition
    /// Its number among the entries of that record, from 0.
    public let index: Int16
    public let kind: EntryKind
    /// The fact that it books: the record at `position`, or one that had waited for it.
    public let cause: EventID
    /// When the fact happened.
    public let time: Timestamp
    /// The order; for money of no order the name of the settled day or of the pay-out.
    public let order: OrderID
    /// nil where no payment of ours is known.
    public let payment: PaymentID?
    public let merchant: MerchantID
    /// The version of the ``PostingRules`` that posted it.
    public let rules: Int16
    public let currency: Currency
    public let postings: [Posting]

    /// Stops the program when the postings do not add up to zero: books that do not balance must not be written.
    public init(
        position: JournalPosition, index: Int16, kind: EntryKind, cause: EventID, time: Timestamp, order: OrderID,
        payment: PaymentID?, merchant: MerchantID, rules: Int16, currency: Currency, postings: [Posting]
    ) {
        precondition(Self.isBalanced(postings), "an entry's postings add up to zero")
        self.init(
            unchecked: position, index: index, kind: kind, cause: cause, time: time, order: order, payment: payment,
            merchant: merchant, rules: rules, currency: currency, postings: postings)
    }

    private init(
        unchecked position: JournalPosition, index: Int16, kind: EntryKind, cause: EventID, time: Timestamp,
        order: OrderID, payment: PaymentID?, merchant: MerchantID, rules: Int16, currency: Currency,
        postings: [Posting]
    ) {
        self.position = position
        self.index = index
        self.kind = kind
        self.cause = cause
        self.time = time
        self.order = order
        self.payment = payment
        self.merchant = merchant
        self.rules = rules
        self.currency = currency
        self.postings = postings
    }

    /// An entry as a database stores it, which may have been changed; only the audit makes these.
    package static func found(
        position: JournalPosition, index: Int16, kind: EntryKind, cause: EventID, time: Timestamp, order: OrderID,
        payment: PaymentID?, merchant: MerchantID, rules: Int16, currency: Currency, postings: [Posting]
    ) -> Entry {
        Entry(
            unchecked: position, index: index, kind: kind, cause: cause, time: time, order: order, payment: payment,
            merchant: merchant, rules: rules, currency: currency, postings: postings)
    }

    /// Whether there are postings, none of them is zero, and they add up to zero within 64 bits.
    public static func isBalanced(_ postings: [Posting]) -> Bool {
        var sum: Int64 = 0
        for posting in postings {
            let (next, overflow) = sum.addingReportingOverflow(posting.amount)
            guard !overflow, posting.amount != 0 else { return false }
            sum = next
        }
        return sum == 0 && postings.count >= 2
    }

    /// Writes the fields that the chain hashes, in their order.
    func append(to bytes: inout CanonicalBytes) {
        bytes.append(Int64(index))
        bytes.append(kind.rawValue)
        bytes.append(cause)
        bytes.append(time.microseconds)
        bytes.append(order)
        if let payment { bytes.append(payment) } else { bytes.append([]) }
        bytes.append(merchant)
        bytes.append(Int64(rules))
        bytes.append(currency.code)
        bytes.append(postings) { bytes, posting in
            bytes.append(posting.account.rawValue)
            bytes.append(posting.amount)
        }
    }
}
