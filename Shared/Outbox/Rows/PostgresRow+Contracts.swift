import Contracts
import OrchardPostgres

/// The contract's values in columns of the services' own tables.
extension PostgresRow {
    /// An identifier.
    public func identifier<Kind>(_ column: String) throws -> Identifier<Kind> {
        try parsed(column) { Identifier<Kind>($0) }
    }

    /// An identifier, or NULL.
    public func optionalIdentifier<Kind>(_ column: String) throws -> Identifier<Kind>? {
        try optionalString(column) == nil ? nil : identifier(column)
    }

    /// A currency.
    public func currency(_ column: String) throws -> Currency {
        try parsed(column) { Currency($0) }
    }

    /// One of the words of an enumeration.
    public func word<Word: RawRepresentable<String>>(_ column: String, as type: Word.Type = Word.self) throws -> Word {
        try parsed(column) { Word(rawValue: $0) }
    }

    /// One of the words of an enumeration, or NULL.
    public func optionalWord<Word: RawRepresentable<String>>(
        _ column: String, as type: Word.Type = Word.self
    ) throws -> Word? {
        try optionalString(column) == nil ? nil : word(column)
    }

    /// A point in time.
    public func time(_ column: String) throws -> Timestamp {
        Timestamp(microseconds: try timestamp(column).microseconds)
    }

    /// A point in time, or NULL.
    public func optionalTime(_ column: String) throws -> Timestamp? {
        try optionalTimestamp(column).map { Timestamp(microseconds: $0.microseconds) }
    }

    private func parsed<Value>(_ column: String, _ make: (String) -> Value?) throws -> Value {
        guard let value = make(try string(column)) else {
            throw StoreError(.malformed, at: column, "the column holds what the service never writes")
        }
        return value
    }
}

extension Timestamp {
    /// The same point in time as a parameter of a statement.
    public var postgres: PostgresTimestamp { PostgresTimestamp(microseconds: microseconds) }
}
