/// A misbehaviour of the acquirer's simulator, ours or the independent one.
struct ScriptedFault: Hashable, Sendable {
    /// The last three digits of an amount that choose it.
    let digits: Int64
    /// What the acquirer's book calls it.
    let name: String

    /// What the book says of a sale that meets none.
    static let none = "normal"
}
