import Contracts
import Postgres

extension PostgresRow {
    /// An identifier.
    func identifier<Kind>(_ column: String) throws -> Identifier<Kind> {
        try parsed(column) { Identifier<Kind>($0) }
    }

    /// An identifier, or NULL.
    func optionalIdentifier<Kind>(_ column: String) throws -> Identifier<Kind>? {
        try optionalString(column) == nil ? nil : identifier(column)
    }

    /// A currency.
    func currency(_ column: String) throws -> Currency {
        try parsed(column) { Currency($0) }
    }

    /// One of the words of an enumeration.
    func word<Word: RawRepresentable<String>>(_ column: String, as type: Word.Type = Word.self) throws -> Word {
        try parsed(column) { Word(rawValue: $0) }
    }

    /// One of the words of an enumeration, or NULL.
    func optionalWord<Word: RawRepresentable<String>>(
        _ column: String, as type: Word.Type = Word.self
    ) throws -> Word? {
        try optionalString(column) == nil ? nil : word(column)
    }

    /// A point in time.
    func time(_ column: String) throws -> Timestamp {
        Timestamp(microseconds: try timestamp(column).microseconds)
    }

    private func parsed<Value>(_ column: String, _ make: (String) -> Value?) throws -> Value {
        guard let value = make(try string(column)) else {
            throw StoreError(.malformed, at: column, "the column holds what the ledger never writes")
        }
        return value
    }
}

extension Timestamp {
    var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}
