import OrchardPostgres

extension Sequence<PostgresRow> {
    /// Reads rows of many orders, each by itself: one that is damaged stops no other.
    ///
    /// - Parameters:
    ///   - read: reads a row, and does nothing else.
    ///   - damaged: takes each row that cannot be read, and why.
    /// - Returns: what could be read.
    public func reading<Value, Failure>(
        _ read: (PostgresRow) throws -> Value, damaged: (PostgresRow, any Error) throws(Failure) -> Void
    ) throws(Failure) -> [Value] {
        var values: [Value] = []
        for row in self {
            let value: Value
            do { value = try read(row) } catch {
                try damaged(row, error)
                continue
            }
            values.append(value)
        }
        return values
    }
}

extension Error {
    /// Whether the error says that the service cannot have written a row, so that the row is damaged.
    public var isDamage: Bool {
        switch self {
        case is StoreError: true
        case let error as PostgresError: error.code == .value
        default: false
        }
    }
}
