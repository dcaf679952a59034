import OrchardJSON

/// Counts and totals of a book, in the format of the independent acquirer's summary.
struct BookSummary: Sendable {
    /// What is counted for one kind.
    struct Row: Hashable, Sendable {
        var states: [Transaction.State: Int] = [:]
        /// Of successful ones.
        var amount: Int64 = 0
    }

    private(set) var rows: [TransactionKind: Row] = [:]
    /// What was taken and not voided.
    private(set) var chargedFen: Int64 = 0
    private(set) var refundedFen: Int64 = 0
    /// Paid sales by order number, and by `reqReserved`, whose first characters may name the merchant's own order.
    private(set) var paidSales: [String: [String: Int]] = ["orderId": [:], "reqReserved": [:]]
    /// Those of them that were not voided and not given back.
    private(set) var standingSales: [String: [String: Int]] = ["orderId": [:], "reqReserved": [:]]
    /// The money of each order, by `reqReserved`.
    private(set) var amounts: [String: OrderAmounts] = [:]

    /// - Parameter prefix: how many characters of a group's name count.
    init(_ transactions: [Transaction], prefix: Int = 1_024) {
        for transaction in transactions {
            rows[transaction.kind, default: Row()].states[transaction.state, default: 0] += 1
            guard transaction.state == .success else { continue }
            rows[transaction.kind, default: Row()].amount += transaction.amount
            if transaction.kind.takesMoney, !transaction.isVoided { chargedFen += transaction.amount }
            if transaction.kind == .refund { refundedFen += transaction.amount }
            let order = String((transaction.request.fields["reqReserved"] ?? "").prefix(prefix))
            if !order.isEmpty { amounts[order, default: OrderAmounts()].add(transaction) }
            if transaction.kind == .sale { count(transaction, prefix) }
        }
    }

    private mutating func count(_ sale: Transaction, _ prefix: Int) {
        let isStanding = !sale.isVoided && sale.refunded < sale.amount
        for name in ["orderId", "reqReserved"] {
            let group = String((sale.request.fields[name] ?? "").prefix(prefix))
            guard !group.isEmpty else { continue }
            paidSales[name, default: [:]][group, default: 0] += 1
            if isStanding { standingSales[name, default: [:]][group, default: 0] += 1 }
        }
    }

    /// Groups with more than one paid sale.
    var doubleCharges: [String: [String: Int]] { Self.doubled(paidSales) }

    private static func doubled(_ groups: [String: [String: Int]]) -> [String: [String: Int]] {
        groups.mapValues { $0.filter { $0.value > 1 } }
    }

    func json(group: String?, counts: [String: Int]) -> JSONValue {
        let types = rows.map { kind, row in
            var cells = Dictionary(uniqueKeysWithValues: row.states.map { ($0.key.rawValue, Int64($0.value)) })
            cells["amount"] = row.amount
            return (kind.rawValue, JSONValue.table(cells))
        }
        func groups(_ groups: [String: [String: Int]]) -> JSONValue {
            .sorted(groups.map { ($0.key, JSONValue.table($0.value.mapValues(Int64.init))) })
        }
        let counted = group.flatMap { paidSales[$0] } ?? [:]
        return .object([
            "byType": .sorted(types), "chargedFen": .integer(chargedFen), "refundedFen": .integer(refundedFen),
            "netFen": .integer(chargedFen - refundedFen), "doubleCharges": groups(doubleCharges),
            "doubleChargesNet": groups(Self.doubled(standingSales)), "counts": .table(counts.mapValues(Int64.init)),
            "groups": .table(counted.mapValues(Int64.init)),
            "orders": .sorted(amounts.map { ($0.key, $0.value.json) }),
        ])
    }
}

/// What the acquirer did with the money of one order of the merchant, in fen.
struct OrderAmounts: Hashable, Sendable {
    /// Held by preauthorisations that were neither completed nor voided.
    var held: Int64 = 0
    /// By sales and completions, also those that were voided afterwards.
    var taken: Int64 = 0
    /// By refunds and by voids of what was taken.
    var returned: Int64 = 0

    mutating func add(_ done: Transaction) {
        if done.kind.takesMoney { taken += done.amount }
        if done.kind.returnsMoney { returned += done.amount }
        if done.kind == .preauthorisation, !done.isCompleted, !done.isVoided { held += done.amount }
    }

    var json: JSONValue {
        .table(["held": held, "net": taken - returned, "returned": returned, "taken": taken])
    }
}

extension JSONValue {
    fileprivate static func sorted(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(members.sorted { $0.0 < $1.0 }.map { JSONMember($0.0, $0.1) })
    }

    fileprivate static func table(_ numbers: [String: Int64]) -> JSONValue {
        sorted(numbers.map { ($0.key, .integer($0.value)) })
    }
}
