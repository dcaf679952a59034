/// Which versions of the code made a row: stored with the row and hashed with it, so that an upgrade never contradicts
/// old rows (rule 9).
public struct RowVersions: Hashable, Sendable, CustomStringConvertible {
    /// What read the record and folded it into its order.
    public let reader: Int16
    /// What posted the money that moved.
    public let rules: Int16
    /// What laid out the bytes that the chain hashes.
    public let layout: Int16

    public init(reader: Int16, rules: Int16, layout: Int16) {
        self.reader = reader
        self.rules = rules
        self.layout = layout
    }

    public var description: String { "reader \(reader), posting rules \(rules), hash layout \(layout)" }

    /// Whether something of this is older than in `other`.
    public func isOlder(than other: Self) -> Bool {
        reader < other.reader || rules < other.rules || layout < other.layout
    }
}
