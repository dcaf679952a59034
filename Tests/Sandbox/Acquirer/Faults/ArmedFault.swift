/// A fault that a test requested: it applies to the next matching requests, whatever their amount.
struct ArmedFault: Hashable, Sendable {
    var fault: Fault
    var match: TransactionMatch
    /// How many requests it still applies to.
    var count: Int
}
