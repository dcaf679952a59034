import OrchardPostgres

/// A column of many rows. Its values are sent as one array, so that a statement is the same for any number of rows.
public struct RowColumn<Row: Sendable>: Sendable {
    let name: String
    let values: @Sendable ([Row]) -> any PostgresEncodable

    public init<Value: PostgresArrayElement>(_ name: String, _ value: @escaping @Sendable (Row) -> Value) {
        self.name = name
        values = { $0.map(value) }
    }
}

/// Inserts any number of rows into a table with one statement.
public struct RowInsertion<Row: Sendable>: Sendable {
    private let sql: String
    private let columns: [RowColumn<Row>]

    public init(into table: String, _ columns: [RowColumn<Row>]) {
        let names = columns.map(\.name).joined(separator: ", ")
        sql = "INSERT INTO \(table) (\(names)) SELECT \(names) FROM \(RowColumn.unnest(columns))"
        self.columns = columns
    }

    /// - Returns: nil when there are no rows.
    public func write(_ rows: [Row]) -> Write? {
        rows.isEmpty ? nil : Write(sql, columns.map { $0.values(rows) }, rows: rows.count)
    }
}

/// Changes any number of rows of a table by their keys, with one statement.
public struct RowUpdate<Row: Sendable>: Sendable {
    private let sql: String
    private let columns: [RowColumn<Row>]

    /// - Parameters:
    ///   - key: the columns that identify a row.
    ///   - changed: the columns that get new values.
    ///   - expressions: further columns and their new values; `row` is the row before the change, `new` its new values.
    public init(
        of table: String, key: [RowColumn<Row>], changed: [RowColumn<Row>],
        expressions: [(name: String, value: String)] = []
    ) {
        let changes = changed.map { "\($0.name) = new.\($0.name)" } + expressions.map { "\($0.name) = \($0.value)" }
        let assignments = changes.joined(separator: ", ")
        let condition = key.map { "row.\($0.name) = new.\($0.name)" }.joined(separator: " AND ")
        columns = key + changed
        sql = "UPDATE \(table) AS row SET \(assignments) FROM \(RowColumn.unnest(columns)) WHERE \(condition)"
    }

    /// - Returns: nil when there are no rows.
    public func write(_ rows: [Row]) -> Write? {
        rows.isEmpty ? nil : Write(sql, columns.map { $0.values(rows) }, rows: rows.count)
    }
}

extension RowColumn {
    /// The values as a table `new`. The parameters define the types.
    fileprivate static func unnest(_ columns: [RowColumn]) -> String {
        let parameters = (1...columns.count).map { "$\($0)" }.joined(separator: ", ")
        return "unnest(\(parameters)) AS new(\(columns.map(\.name).joined(separator: ", ")))"
    }
}
