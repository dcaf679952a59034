import OrchardJSON

/// Counts and totals of a book, in the format of the independent acquirer's summary.
struct BookSummary: Sendable {
    private(set) var chargedFen: Int64 = 0
    private(set) var states: [Transaction.State: Int] = [:]
    /// Paid sales by order number, and by `reqReserved`, whose first characters may name the merchant's own order.
    private(set) var paidSales: [String: [String: Int]] = ["orderId": [:], "reqReserved": [:]]

    /// - Parameter prefix: how many characters of a group's name count.
    init(_ transactions: [Transaction], prefix: Int = 1_024) {
        for transaction in transactions {
            states[transaction.state, default: 0] += 1
            guard transaction.state == .success else { continue }
            chargedFen += transaction.sale.amount
            for name in ["orderId", "reqReserved"] {
                let group = String((transaction.sale.fields[name] ?? "").prefix(prefix))
                if !group.isEmpty { paidSales[name, default: [:]][group, default: 0] += 1 }
            }
        }
    }

    /// Groups with more than one paid sale.
    var doubleCharges: [String: [String: Int]] { paidSales.mapValues { $0.filter { $0.value > 1 } } }

    func json(group: String?, counts: [String: Int]) -> JSONValue {
        func table(_ counts: [String: Int]) -> JSONValue {
            .object(counts.sorted { $0.key < $1.key }.map { JSONMember($0.key, .integer(Int64($0.value))) })
        }
        let doubled = JSONValue.object(
            doubleCharges.sorted { $0.key < $1.key }.map { JSONMember($0.key, table($0.value)) })
        let row = table(Dictionary(uniqueKeysWithValues: states.map { ($0.key.rawValue, $0.value) }))
        return .object([
            "byType": .object(["01": row]), "chargedFen": .integer(chargedFen), "refundedFen": .integer(0),
            "netFen": .integer(chargedFen), "doubleCharges": doubled, "doubleChargesNet": doubled,
            "counts": table(counts), "groups": table(group.flatMap { paidSales[$0] } ?? [:]),
        ])
    }
}
