/// One numbered step of a schema, embedded in the binary; once released it is never changed.
public struct Migration: Sendable {
    /// From 1 on, without gaps.
    public let number: Int
    /// What it does, like a file's name: `entry_hash_chain`.
    public let name: String
    /// Statements without parameters; they run in one transaction with the schema first in the search path.
    public let sql: String

    public init(_ number: Int, _ name: String, sql: String) {
        self.number = number
        self.name = name
        self.sql = sql
    }

    var title: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "_" + name
    }
}
