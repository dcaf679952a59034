/// The prepared statements of one connection.
///
/// A program has a fixed set of SQL texts, so nothing is ever dropped; statements beyond the limit run unprepared.
struct StatementCache {
    struct Key: Hashable {
        let sql: String
        let types: [PostgresType]
    }

    enum Plan: Equatable {
        /// Prepared under this name.
        case known(String)
        /// To be prepared under this name first.
        case prepare(String)
        /// Not worth a name.
        case unprepared
    }

    let capacity: Int
    private var names: [Key: String] = [:]
    /// Never reused, also when a preparation failed.
    private var lastNumber = 0

    init(capacity: Int = 512) { self.capacity = capacity }

    /// How to run statements in one pipeline: the second of two equal ones finds the name of the first.
    mutating func plan(_ keys: [Key]) -> [Plan] {
        var added: [Key: String] = [:]
        return keys.map { key in
            if let name = names[key] ?? added[key] { return .known(name) }
            guard names.count + added.count < capacity else { return .unprepared }
            lastNumber += 1
            let name = "s\(lastNumber)"
            added[key] = name
            return .prepare(name)
        }
    }

    /// The server has prepared it.
    mutating func confirm(_ key: Key, _ name: String) { names[key] = name }

    /// The plan of a statement became invalid (the schema was changed under it).
    mutating func forgetAll() { names = [:] }
}
