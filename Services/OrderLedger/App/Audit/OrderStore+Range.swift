import Contracts
import Ledger
import OrchardPostgres

extension OrderStore {
    /// As ``loading(_:)``, for all orders of a range of ids, the lower one left out. For readers of a whole partition, one
    /// search for a page costs less than one for each order.
    func loading(behind first: OrderID, through last: OrderID) -> [PostgresStatement] {
        let range = "partition = $1 AND order_id > $2 AND order_id <= $3"
        return [
            "SELECT \(OrderStore.orderColumns) FROM ledger.orders WHERE \(range) ORDER BY order_id",
            "SELECT \(OrderStore.offerColumns) FROM ledger.order_offers WHERE \(range) ORDER BY order_id, revision",
            "SELECT \(OrderStore.paymentColumns) FROM ledger.payments p WHERE \(range) ORDER BY order_id, payment_id",
            "SELECT \(OrderStore.followUpColumns) FROM ledger.follow_ups f WHERE \(range) ORDER BY order_id, operation_id",
            "SELECT \(OrderStore.refusalColumns) FROM ledger.refused_commands WHERE \(range) ORDER BY order_id, command_id",
            """
            SELECT p.partition, p.order_id, p."offset" AS place, \(ReadRecord.columns) FROM ledger.parked_facts p
                LEFT JOIN ledger.facts f ON f.partition = p.partition AND f."offset" = p."offset"
            WHERE p.partition = $1 AND p.order_id > $2 AND p.order_id <= $3 ORDER BY p."offset"
            """,
        ].map { PostgresStatement($0, [partition, first, last]) }
            + [SettlementFacts.loading(partition, behind: first, through: last)]
    }
}
