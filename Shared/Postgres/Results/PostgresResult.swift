import CLibpq

/// What one statement gave: its rows, or how many it changed.
public final class PostgresResult: @unchecked Sendable {
    // @unchecked: the PGresult is never changed after init, libpq reads it without writing, and only deinit frees it.
    private let pointer: OpaquePointer
    /// Names of the columns in order.
    public let columns: [String]
    /// How many rows it holds.
    public let count: Int

    /// Takes the result over.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
        columns = (0..<PQnfields(pointer)).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" }
        count = Int(PQntuples(pointer))
    }

    deinit { PQclear(pointer) }

    /// The rows in the order of the server.
    public var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, index: $0) } }

    /// How many rows the statement inserted, changed, deleted or gave.
    public var affectedRows: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's word for what was done: `INSERT 0 1`, `COMMIT`, `ROLLBACK` …
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    func type(ofColumn column: Int) -> PostgresType { PostgresType(rawValue: PQftype(pointer, Int32(column))) }

    /// The bytes of a cell, valid inside `body`; nil for NULL.
    func withCell<Value>(row: Int, column: Int, _ body: (UnsafeRawBufferPointer) -> Value) -> Value? {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let bytes = PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        return body(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
