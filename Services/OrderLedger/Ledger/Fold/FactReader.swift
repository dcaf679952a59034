import Contracts

/// One version of the code that reads a record and folds it into its order.
public struct FactReader: Sendable {
    let read: @Sendable (JournalRecord) throws(UnreadableRecord) -> JournalEvent
    /// Whether a fact must wait for others.
    let isEarly: @Sendable (OrderState, Fact) -> Bool
    /// Applies a fact that is not early; returns the entries to make for it.
    let apply: @Sendable (inout OrderState, JournalEvent) throws(FoldError) -> [Booking]

    /// In use from the journal's beginning: offers, closings, sales and rejected commands.
    public static let v1 = Self { (record) throws(UnreadableRecord) in
        let event = try JournalEvent(record, knowing: { FactType.v1.contains($0) })
        try event.checkReasonsOfV1()
        return event
    }

    /// In use since authorisations, captures, voids, refunds and settlement.
    public static let v2 = Self { (record) throws(UnreadableRecord) in try JournalEvent(record) }

    /// - Parameter read: the fold is the same for every version so far; an older one never has a newer one's facts.
    private init(read: @escaping @Sendable (JournalRecord) throws(UnreadableRecord) -> JournalEvent) {
        self.read = read
        isEarly = { order, fact in order.isEarly(fact) }
        apply = { (order, event) throws(FoldError) in
            if event.fact.settlementDay != nil { return try order.settle(event) }
            return try order.apply(event.fact, merchant: event.fact.merchant)
        }
    }
}
