/// One numbered step of a schema, embedded in the binary; once released it is never changed.
public struct Migration: Sendable {
    /// From 1 on, without gaps.
    public let number: Int
    /// What it does, like a file's name: `entry_hash_chain`.
    public let name: String
    /// Statements without parameters; they run in one transaction with the schema first in the search path.
    public let sql: String
    /// Whether a program that does not know it works with it all the same: it adds tables, indexes, or columns that may
    /// be left out, and removes nothing. Written into the history, where the version before reads it, so that services
    /// can be replaced one after the other.
    public let isAdditive: Bool

    public init(_ number: Int, _ name: String, isAdditive: Bool = false, sql: String) {
        self.isAdditive = isAdditive
        self.number = number
        self.name = name
        self.sql = sql
    }

    var title: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}
