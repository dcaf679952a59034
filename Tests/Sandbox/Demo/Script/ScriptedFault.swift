/// A fault of the acquirer's simulator, ours or the independent one.
struct ScriptedFault: Hashable, Sendable {
    /// The last three digits of an amount that choose it.
    let digits: Int64
    /// The fault's name in the acquirer's book.
    let name: String

    /// The book's text for a sale without a fault.
    static let none = "normal"
}
