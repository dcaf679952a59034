import CLibpq
import Synchronization

/// What one statement gave: its rows, or how many it changed.
public final class PostgresResult: @unchecked Sendable {
    // @unchecked: the PGresult is never changed after init, libpq reads it without writing, and only deinit frees it.
    private let pointer: OpaquePointer
    /// Names of the columns in order; of two of one name only the first can be read, the other has none here.
    let columns: [String]
    /// How many rows it holds.
    public let count: Int
    private let types: [PostgresType]
    /// The column behind the one that was read last: rows are read in the order of their columns, so that this guess
    /// spares the search. A wrong guess changes no result.
    private let guess = Atomic(0)

    /// Takes over the result.
    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
        var names: [String] = []
        for column in 0..<PQnfields(pointer) {
            let name = PQfname(pointer, column).map { String(cString: $0) } ?? ""
            names.append(names.contains(name) ? "" : name)
        }
        columns = names
        types = (0..<PQnfields(pointer)).map { PostgresType(rawValue: PQftype(pointer, $0)) }
        count = Int(PQntuples(pointer))
    }

    deinit { PQclear(pointer) }

    /// The rows in the order of the server.
    public var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, index: $0) } }

    /// The columns of text and bytes, which ``PostgresRow/withBytes(at:_:)`` lends.
    public var textColumns: [(name: String, position: Int)] {
        columns.indices.filter { PostgresRow.lent.contains(types[$0]) }.map { (columns[$0], $0) }
    }

    /// How many rows the statement inserted, changed, deleted or gave.
    public var affectedRows: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's command tag: `INSERT 0 1`, `COMMIT`, `ROLLBACK` …
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    func type(ofColumn column: Int) -> PostgresType { types[column] }

    /// The number of the column with a name; nil when there is none.
    func position(of column: String) -> Int? {
        let next = guess.load(ordering: .relaxed)
        if next < columns.count, columns[next] == column {
            guess.store(next + 1, ordering: .relaxed)
            return next
        }
        guard let found = columns.firstIndex(of: column) else { return nil }
        guess.store(found + 1, ordering: .relaxed)
        return found
    }

    /// The bytes of a cell, valid inside `body`; nil for NULL.
    func withCell<Value>(
        row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value? {
        guard PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let bytes = PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        return try body(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
