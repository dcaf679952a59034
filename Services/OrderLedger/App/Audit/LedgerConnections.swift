import Foundation
import Ledger
import OrchardPostgres

/// The connections of an audit. As many partitions are checked at once.
struct LedgerConnections: Sendable {
    let readers: [LedgerReader]

    /// For checks of the whole ledger.
    var first: LedgerReader { readers[0] }

    init(_ connections: [PostgresConnection]) {
        precondition(!connections.isEmpty, "an audit reads through a connection")
        readers = connections.map { LedgerReader(connection: $0) }
    }

    /// Pages are read in the order of an index. The server would read and sort the rest of a table for each page while
    /// it knows little of the table. Without JIT, for the reason that ``PostgresConfiguration/plansByKey`` tells.
    private static let readingInOrder = """
        SELECT set_config('enable_seqscan', 'off', false), set_config('enable_bitmapscan', 'off', false),
            set_config('enable_hashagg', 'off', false), set_config('jit', 'off', false)
        """

    /// Runs `body` with connections that are closed afterwards: two for each core, so that it works while others wait for
    /// the server; at most the pool's size.
    static func with<Value: Sendable>(
        _ configuration: PostgresConfiguration, _ body: (LedgerConnections) async throws -> Value
    ) async throws -> Value {
        var connections: [PostgresConnection] = []
        do {
            for _ in 0..<min(configuration.poolSize, 2 * ProcessInfo.processInfo.activeProcessorCount) {
                let connection = try await PostgresConnection.connect(configuration)
                connections.append(connection)
                _ = try await connection.query(readingInOrder)
            }
            let value = try await body(LedgerConnections(connections))
            for connection in connections { await connection.close() }
            return value
        } catch {
            for connection in connections { await connection.close() }
            throw error
        }
    }

    /// How many orders each partition may hold in memory at a time.
    var capacity: Int { max(1, Refold.capacity / readers.count) }

    /// Runs `body` for each item, on all connections at once. The results have the order of the items.
    ///
    /// - Parameter body: gets the item, the number of the connection and its reader.
    func map<Item: Sendable, Value: Sendable>(
        _ items: [Item], _ body: @escaping @Sendable (Item, Int, LedgerReader) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: [(Int, Value)].self) { group in
            for (worker, reader) in readers.enumerated() {
                group.addTask {
                    var values: [(Int, Value)] = []
                    for index in stride(from: worker, to: items.count, by: readers.count) {
                        values.append((index, try await body(items[index], worker, reader)))
                    }
                    return values
                }
            }
            var all: [(Int, Value)] = []
            for try await values in group { all += values }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
