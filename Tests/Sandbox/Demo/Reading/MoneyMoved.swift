import Contracts
import OrchardJSON
import OrchardPostgres

/// What one book says of each order's money: how often something was taken or given back, and how much.
struct MoneyMoved: Hashable, Sendable {
    /// One order's money, in minor units.
    struct Sum: Hashable, Sendable {
        var taken: Int64 = 0
        var returned: Int64 = 0
    }

    private(set) var orders: [OrderID: Sum] = [:]
    /// How many movements of money.
    private(set) var count = 0

    /// Adds a movement.
    ///
    /// - Parameter amount: what was taken; negative for what was given back.
    mutating func add(_ amount: Int64, of order: OrderID) {
        guard amount != 0 else { return }
        count += 1
        if amount > 0 {
            orders[order, default: Sum()].taken += amount
        } else {
            orders[order, default: Sum()].returned -= amount
        }
    }

    /// All orders together.
    var total: Sum {
        orders.values.reduce(into: Sum()) { total, sum in
            total.taken += sum.taken
            total.returned += sum.returned
        }
    }

    /// The sums, in the currency that all orders have.
    func json(in currency: Currency) -> JSONValue {
        let total = total
        return [
            "count": .integer(Int64(count)), "orders": .integer(Int64(orders.count)),
            "taken": .decimal(total.taken, currency), "returned": .decimal(total.returned, currency),
        ]
    }
}

extension AcquirerBook {
    /// Sales and completions, and what refunds and voids gave back.
    func moved() async throws -> MoneyMoved {
        try await movements().reduce(into: MoneyMoved()) { $0.add($1.amount, of: $1.order) }
    }
}

extension GatewayBook {
    /// Sales and captures that succeeded, and what refunds and voids gave back.
    func moved() async throws -> MoneyMoved {
        let rows = try await connection.query(
            """
            SELECT order_id, amount FROM gateway.operations
            WHERE kind = 'sale' AND phase IN ('succeeded', 'lateSuccess')
            UNION ALL
            SELECT order_id, CASE
                WHEN kind = 'capture' THEN amount
                WHEN kind = 'refund' OR target IN ('sale', 'capture') THEN -amount
                ELSE 0 END
            FROM gateway.follow_ups WHERE phase = 'succeeded'
            """)
        return try rows.reduce(into: MoneyMoved()) {
            $0.add(try $1.int64("amount"), of: try $1.identifier("order_id"))
        }
    }
}

extension LedgerBook {
    /// What the entries say the acquirer owes, but for what it has settled.
    func moved() async throws -> MoneyMoved {
        let rows = try await connection.query(
            """
            SELECT order_id, amount FROM ledger.entries
            WHERE account = 'assets:acquirer-receivable'
                AND kind NOT IN ('settlement', 'unallocatedSettlement', 'dispute', 'payOut')
            """)
        return try rows.reduce(into: MoneyMoved()) {
            $0.add(try $1.int64("amount"), of: try $1.identifier("order_id"))
        }
    }
}
