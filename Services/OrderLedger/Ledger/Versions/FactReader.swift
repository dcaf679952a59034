import Contracts

/// How a record is read and folded into its order: one version of it.
public struct FactReader: Sendable {
    let read: @Sendable (JournalRecord) throws(UnreadableRecord) -> JournalEvent
    /// Whether a fact must wait for others.
    let isEarly: @Sendable (OrderState, Fact) -> Bool
    /// Takes a fact that is not early; gives the money that moved, if the fact says so.
    let apply: @Sendable (inout OrderState, JournalEvent) throws(FoldError) -> Receipt?

    /// From the journal's beginning.
    public static let v1 = Self(
        read: { (record) throws(UnreadableRecord) in try JournalEvent(record) },
        isEarly: { order, fact in order.isEarly(fact) },
        apply: { (order, event) throws(FoldError) in try order.apply(event.fact, merchant: event.fact.merchant) })
}
