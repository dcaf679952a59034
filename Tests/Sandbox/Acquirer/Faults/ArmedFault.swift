/// A behaviour that a test asked for: it strikes the next matching sales, whatever their amount.
struct ArmedFault: Hashable, Sendable {
    var fault: Fault
    var match: SaleMatch
    /// How many sales it still strikes.
    var count: Int
}
