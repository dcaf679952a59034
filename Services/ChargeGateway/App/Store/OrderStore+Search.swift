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

    /// An operation, and where its rows are.
    typealias Found = (partition: Int32, subject: Subject)

    /// The operations under each of the acquirers' keys and where they are: none, or one, but for a token used twice; refused
    /// ones last.
    ///
    /// A follow-up is found under the key of the attempt that it is at.
    func find(_ references: [AcquirerReference], on connection: PostgresConnection) async throws -> [[Found]] {
        let charges = try await connection.query(
            """
            SELECT key.number AS key_number, \(OperationRow.columns) FROM \(Self.keys) CROSS JOIN LATERAL (
                SELECT \(OperationRow.columns)
                FROM (SELECT \(OperationRow.columns) FROM gateway.operations WHERE order_number = of_number OFFSET 0) AS named
                WHERE acquirer = of_acquirer AND account = of_account AND transaction_time = of_time) AS found
            ORDER BY key_number, phase = 'refused', partition, order_id
            """, Self.keys(references))
        var found = [[Found]](repeating: [], count: references.count)
        for row in charges {
            found[try Self.index(row)].append(
                (try row.int32("partition"), try OperationRow(row, policy: policy).machine.subject))
        }
        // Of most keys it is a charge that they name.
        let others = references.indices.filter { found[$0].isEmpty }
        guard !others.isEmpty else { return found }
        let followUps = try await connection.query(
            """
            SELECT key.number AS key_number, \(FollowUpRow.columns) FROM \(Self.keys) CROSS JOIN LATERAL (
                SELECT \(FollowUpRow.columns)
                FROM (SELECT \(FollowUpRow.columns), transaction_time
                    FROM gateway.follow_ups WHERE order_number = of_number OFFSET 0) AS named
                WHERE acquirer = of_acquirer AND account = of_account AND transaction_time = of_time) AS found
            """, Self.keys(others.map { references[$0] }))
        for row in followUps {
            found[others[try Self.index(row)]].append(
                (try row.int32("partition"), try FollowUpRow.read(row, policy: policy).machine.subject))
        }
        return found
    }

    /// The keys, each with its number from 1. The order number has its own subquery behind them, here and wherever a row is
    /// found by it, and `OFFSET 0` keeps that so. A server without statistics, as a new or a restored one, would else walk
    /// all that the account did in that second, or ever.
    private static let keys = """
        unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[])
            WITH ORDINALITY AS key(of_number, of_acquirer, of_account, of_time, number)
        """

    private static func keys(_ references: [AcquirerReference]) -> [any PostgresEncodable] {
        [
            references.map(\.orderNumber), references.map(\.acquirer), references.map(\.account),
            references.map(\.time.postgres),
        ]
    }

    private static func index(_ row: PostgresRow) throws -> Int { Int(try row.int64("key_number")) - 1 }
}
