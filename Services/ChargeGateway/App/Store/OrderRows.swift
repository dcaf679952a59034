import Contracts
import OrchardPostgres
import Outbox

/// Reads rows of many orders, each order by itself: damage in one stops no other.
struct OrderRows {
    /// The orders with a row that cannot be read, and why.
    private(set) var damaged: [OrderID: any Error] = [:]

    /// Reads the rows of a table in their order.
    ///
    /// - Parameter body: reads a row, and does nothing else.
    /// - Returns: the values of each order, those of damaged orders left out.
    /// - Throws: when a row does not even tell its order.
    mutating func read<Value>(
        _ result: PostgresResult, _ body: (PostgresRow) throws -> Value
    ) throws -> [OrderID: [Value]] {
        var values: [OrderID: [Value]] = [:]
        for row in result.rows {
            let order: OrderID = try row.identifier("order_id")
            guard damaged[order] == nil else { continue }
            do { values[order, default: []].append(try body(row)) } catch {
                damaged[order] = error
                values[order] = nil
            }
        }
        return values
    }
}
