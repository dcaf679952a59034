/// A fault that a test requested: it applies to the next matching sales, whatever their amount.
struct ArmedFault: Hashable, Sendable {
    var fault: Fault
    var match: SaleMatch
    /// How many sales it still applies to.
    var count: Int
}
