import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Finds orders by what others know of them.
extension OrderStore {
    /// The orders that payments charge already, refused ones left out, as far as this database can see.
    ///
    /// Apple's signature over the order (`applicationData`), which token-ingest enforces, is what stops a token from paying
    /// two orders; this looks a second time, and sees neither another server's partitions nor what commits meanwhile.
    func search(chargedBy payments: [PaymentID]) -> PostgresStatement {
        PostgresStatement(
            "SELECT payment_id, order_id FROM gateway.operations WHERE order_number = ANY($1) AND phase <> 'refused'",
            [payments.map(\.description)])
    }

    /// Reads the result of ``search(chargedBy:)``.
    func charging(_ result: PostgresResult) throws -> [PaymentID: [OrderID]] {
        try result.rows.reduce(into: [:]) { orders, row in
            orders[try row.identifier("payment_id"), default: []].append(try row.identifier("order_id"))
        }
    }

    /// The operations under an acquirer's key and where they are: none, or one, but for a token used twice; refused ones last.
    ///
    /// A follow-up is found under the key of the attempt that it is at.
    ///
    /// The order number has its own subquery, here and wherever a row is found by it, and `OFFSET 0` keeps that so. A server
    /// without statistics, as a new or a restored one, would else walk all that the account did in that second, or ever.
    func find(
        _ reference: AcquirerReference, on connection: PostgresConnection
    ) async throws -> [(partition: Int32, subject: Subject)] {
        let key: [any PostgresEncodable] = [
            reference.orderNumber, reference.acquirer, reference.account, reference.time.postgres,
        ]
        let charges = try await connection.query(
            """
            SELECT \(OperationRow.columns)
            FROM (SELECT \(OperationRow.columns) FROM gateway.operations WHERE order_number = $1 OFFSET 0) AS named
            WHERE acquirer = $2 AND account = $3 AND transaction_time = $4
            ORDER BY phase = 'refused', partition, order_id
            """, key
        ).map { row in
            (try row.int32("partition"), try OperationRow(row, policy: policy).machine.subject)
        }
        guard charges.isEmpty else { return charges }
        return try await connection.query(
            """
            SELECT \(FollowUpRow.columns)
            FROM (SELECT \(FollowUpRow.columns), transaction_time
                FROM gateway.follow_ups WHERE order_number = $1 OFFSET 0) AS named
            WHERE acquirer = $2 AND account = $3 AND transaction_time = $4
            """, key
        ).map { row in
            (try row.int32("partition"), try FollowUpRow.read(row, policy: policy).machine.subject)
        }
    }
}
