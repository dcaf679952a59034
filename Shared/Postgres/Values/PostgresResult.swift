import CLibpq
import Synchronization

/// What one statement gave: its rows, or how many it changed.
public final class PostgresResult: @unchecked Sendable {
    // @unchecked: the PGresult is never changed after init, libpq reads it without writing, and only deinit frees it. The
    // learned columns are atomics.
    private let pointer: OpaquePointer
    /// Names of the columns in order; of two of one name only the first can be read, the other has none here.
    let columns: [String]
    /// How many rows it holds.
    public let count: Int
    private let types: [PostgresType]
    /// For each column the one that was read after it the last time, and at the end the one that was read first: every row
    /// is read in the same order, so that this guess spares the search. A wrong guess changes no result.
    private let followers: UnsafeMutablePointer<Atomic<Int>>
    /// The column that was read last.
    private let last: Atomic<Int>

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
        followers = .allocate(capacity: names.count + 1)
        for column in 0..<names.count { (followers + column).initialize(to: Atomic(column + 1)) }
        (followers + names.count).initialize(to: Atomic(0))
        last = Atomic(names.count)
    }

    deinit {
        PQclear(pointer)
        followers.deinitialize(count: columns.count + 1)
        followers.deallocate()
    }

    /// The rows in the order of the server.
    public var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, index: $0) } }

    /// The columns of text and bytes, which ``PostgresRow/withBytes(at:_:)`` lends.
    public var textColumns: [(name: String, position: Int)] {
        columns.indices.filter { types[$0].isLent }.map { (columns[$0], $0) }
    }

    /// How many rows the statement inserted, changed, deleted or gave.
    public var affectedRows: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// The server's command tag: `INSERT 0 1`, `COMMIT`, `ROLLBACK` …
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }

    func type(ofColumn column: Int) -> PostgresType { types[column] }

    /// The number of the column with a name; nil when there is none.
    func position(of column: String) -> Int? {
        let last = last.load(ordering: .relaxed)
        let guess = followers[last].load(ordering: .relaxed)
        if guess < columns.count, columns[guess] == column {
            self.last.store(guess, ordering: .relaxed)
            return guess
        }
        guard let found = columns.firstIndex(of: column) else { return nil }
        followers[last].store(found, ordering: .relaxed)
        self.last.store(found, ordering: .relaxed)
        return found
    }

    /// The bytes of a cell, valid inside `body`; nil for NULL.
    func withCell<Value>(
        row: Int, column: Int, _ body: (UnsafeRawBufferPointer) throws -> Value
    ) rethrows -> Value? {
        let length = Int(PQgetlength(pointer, Int32(row), Int32(column)))
        // The length of a NULL is 0: only an empty cell is asked whether it is NULL.
        guard length > 0 || PQgetisnull(pointer, Int32(row), Int32(column)) == 0,
            let bytes = PQgetvalue(pointer, Int32(row), Int32(column))
        else { return nil }
        return try body(UnsafeRawBufferPointer(start: bytes, count: length))
    }
}
