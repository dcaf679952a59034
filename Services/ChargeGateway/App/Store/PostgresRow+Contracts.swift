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

    /// A point in time, or NULL.
    func optionalTime(_ column: String) throws -> Timestamp? {
        try optionalTimestamp(column).map { Timestamp(microseconds: $0.microseconds) }
    }

    private func parsed<Value>(_ column: String, _ make: (String) -> Value?) throws -> Value {
        guard let value = make(try string(column)) else {
            throw StoreError(.malformed, at: column, "the column holds what the gateway never writes")
        }
        return value
    }
}

extension Timestamp {
    var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}
