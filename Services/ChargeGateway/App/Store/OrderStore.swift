import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Reads and locks orders.
///
/// Locks are taken in one order: the partition's watermark first, then order rows by their identifiers.
struct OrderStore: Sendable {
    let policy: ChargingPolicy
    /// Where it is told whether a partition may be stepped.
    var inbox = Inbox(schema: GatewaySchema.name, topic: .charges, program: "charge-gateway")

    /// Locked orders and the time at which they are: the database's, read behind the locks.
    struct Locked: Sendable {
        var orders: [OrderID: StoredOrder]
        let time: Timestamp
    }

    /// How to meet a lock that somebody else holds.
    enum Patience: String {
        case wait = "FOR UPDATE"
        case skip = "FOR UPDATE SKIP LOCKED"
    }

    /// Locks those of the orders that have a row and reads them with their operations.
    ///
    /// - Parameter isRecovering: whether the partition is being brought up to the log, and so may not be stepped yet.
    /// - Throws: `InboxError` when the partition may not be stepped on this database.
    func lock(
        _ ids: [OrderID], in partition: Int32, _ patience: Patience = .wait, isRecovering: Bool = false,
        on connection: PostgresConnection
    ) async throws -> Locked {
        let names = ids.map(\.description).sorted()
        let parameters: [any PostgresEncodable] = [partition, names]
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                SELECT order_id, closed_reason, closed_payment, closed_command FROM gateway.orders
                WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id \(patience.rawValue)
                """, parameters),
            PostgresStatement(
                """
                SELECT \(OperationRow.columns) FROM gateway.operations
                WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id, number
                """, parameters),
            PostgresStatement(
                """
                SELECT order_id, command_id FROM gateway.answered_commands
                WHERE partition = $1 AND order_id = ANY($2) ORDER BY order_id, command_id
                """, parameters),
            PostgresStatement("SELECT clock_timestamp() AS now"), inbox.fence(partition),
        ])
        if !isRecovering { try inbox.check(results[4], partition) }
        guard let now = try results[3].rows.first?.time("now") else {
            throw StoreError(.malformed, at: "clock_timestamp", "the database does not tell the time")
        }
        var operations: [OrderID: [OperationRow]] = [:]
        for row in results[1].rows {
            let operation = try OperationRow(row, policy: policy)
            operations[operation.machine.charge.order, default: []].append(operation)
        }
        var commands: [OrderID: [CommandID]] = [:]
        for row in results[2].rows {
            commands[try row.identifier("order_id"), default: []].append(try row.identifier("command_id"))
        }
        var orders: [OrderID: StoredOrder] = [:]
        for row in results[0].rows {
            let order: OrderID = try row.identifier("order_id")
            orders[order] = try stored(row, order, partition, operations[order] ?? [], commands[order] ?? [])
        }
        return Locked(orders: orders, time: now)
    }

    private func stored(
        _ row: PostgresRow, _ order: OrderID, _ partition: Int32, _ operations: [OperationRow],
        _ commands: [CommandID]
    ) throws -> StoredOrder {
        let reason: OrderClosure.Reason? = try row.optionalWord("closed_reason")
        let closure = try reason.map {
            OrderClosure(
                reason: $0, payment: try row.optionalIdentifier("closed_payment"),
                command: try row.optionalIdentifier("closed_command"))
        }
        var traces: [PaymentID: String] = [:]
        for operation in operations { traces[operation.machine.charge.payment] = operation.traceparent }
        return StoredOrder(
            partition: partition,
            saved: OrderMachine(
                order: order, closure: closure, operations: operations.map(\.machine), answeredCommands: commands,
                policy: policy),
            traces: traces)
    }

    /// The sealed card data of a payment; nil when they are gone.
    func sealedCard(
        of charge: Charge, in partition: Int32, on connection: PostgresConnection
    ) async throws -> SealedCard? {
        let rows = try await connection.query(
            """
            SELECT sealed_card, ticket_hash FROM gateway.operations
            WHERE partition = $1 AND order_id = $2 AND payment_id = $3
            """, [partition, charge.order.description, charge.payment.description])
        // Asked here: in the statement it would let the server choose the index of all sealed cards.
        guard let row = rows.first, let jwe = try row.optionalString("sealed_card") else { return nil }
        return SealedCard(jwe: jwe, ticketHash: try row.bytes("ticket_hash"))
    }

    /// The orders that payments charge already, refused ones left out, as far as this database can see.
    ///
    /// Apple's signature over the order (`applicationData`), which token-ingest enforces, is what stops a token from paying
    /// two orders; this looks a second time, and sees neither another server's partitions nor what commits meanwhile.
    func orders(chargedBy payments: [PaymentID], on connection: PostgresConnection) async throws -> [PaymentID:
        [OrderID]]
    {
        let rows = try await connection.query(
            "SELECT payment_id, order_id FROM gateway.operations WHERE order_number = ANY($1) AND phase <> 'refused'",
            [payments.map(\.description)])
        return try rows.reduce(into: [:]) { orders, row in
            orders[try row.identifier("payment_id"), default: []].append(try row.identifier("order_id"))
        }
    }

    /// The charges under an acquirer's key and where they are: none, or one, but for a token used twice; refused ones last.
    func find(
        _ reference: AcquirerReference, on connection: PostgresConnection
    ) async throws -> [(partition: Int32, charge: Charge)] {
        try await connection.query(
            """
            SELECT \(OperationRow.columns) FROM gateway.operations
            WHERE order_number = $1 AND acquirer = $2 AND account = $3 AND transaction_time = $4
            ORDER BY phase = 'refused', partition, order_id
            """, [reference.orderNumber, reference.acquirer, reference.account, reference.time.postgres]
        ).map { row in
            (try row.int32("partition"), try OperationRow(row, policy: policy).machine.charge)
        }
    }
}
