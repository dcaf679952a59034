import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Reads and locks orders.
///
/// Locks are taken in one order: the partition's watermark first, then order rows by their identifiers.
struct OrderStore: Sendable {
    let policy: ChargingPolicy
    /// Knows whether a partition may be stepped.
    var inbox = Inbox(schema: GatewaySchema.name, topic: .charges, program: "charge-gateway")

    /// Where an order's rows are.
    struct Place: Hashable, Sendable {
        let order: OrderID
        let partition: Int32
    }

    /// Locked orders and the time at which they are: the database's, read behind the locks.
    struct Locked: Sendable {
        var orders: [OrderID: StoredOrder]
        let time: Timestamp
        /// The partitions of which nothing may be stepped on this database.
        let refusals: [Int32: InboxError]
    }

    /// What to do when another transaction holds the lock.
    enum LockWait: String {
        case wait = "FOR UPDATE"
        case skip = "FOR UPDATE SKIP LOCKED"
    }

    /// Locks those of a partition's orders that have a row and reads them with their operations.
    ///
    /// - Parameter isRecovering: whether the partition is being brought up to the log, and so may not be stepped yet.
    /// - Throws: `InboxError` when the partition may not be stepped on this database.
    func lock(
        _ ids: [OrderID], in partition: Int32, isRecovering: Bool = false, on connection: PostgresConnection
    ) async throws -> Locked {
        let locked = try await lock(ids.map { Place(order: $0, partition: partition) }, .wait, on: connection)
        if !isRecovering, let refusal = locked.refusals[partition] { throw refusal }
        return locked
    }

    /// Locks those of the orders that have a row and reads them with their operations, in one round trip.
    ///
    /// - Parameter cards: the orders whose sealed card data are wanted.
    func lock(
        _ places: [Place], _ lockWait: LockWait, cards: [Place] = [], on connection: PostgresConnection
    ) async throws -> Locked {
        let results = try await connection.pipeline(statements(places, lockWait, cards: cards))
        guard let now = try results[4].rows.first?.time("now") else {
            throw StoreError(.malformed, at: "clock_timestamp", "the database does not tell the time")
        }
        return Locked(
            orders: try orders(results, try sealedCards(results[3]), of: Set(cards.map(\.order))), time: now,
            refusals: try refusals(results[5], of: places))
    }

    func statements(_ places: [Place], _ lockWait: LockWait, cards: [Place]) -> [PostgresStatement] {
        let keys = Self.keys(places.sorted { $0.order < $1.order })
        return [
            Self.rowsByKey(
                "gateway.orders", "order_id, partition, closed_reason, closed_payment, closed_command, expiry_command",
                lockWait.rawValue, keys),
            Self.rowsByKey("gateway.operations", OperationRow.columns, "ORDER BY number", keys),
            Self.rowsByKey("gateway.answered_commands", "order_id, command_id", "ORDER BY command_id", keys),
            Self.rowsByKey(
                "gateway.operations", "order_id, payment_id, sealed_card, ticket_hash", "OFFSET 0", Self.keys(cards)),
            PostgresStatement("SELECT clock_timestamp() AS now"),
            inbox.fence(Set(places.map(\.partition)).sorted()),
        ]
    }

    private static func keys(_ places: [Place]) -> [any PostgresEncodable] {
        [places.map(\.partition), places.map(\.order)]
    }

    /// Rows by their orders' keys, one key after the other, independent of the planner's statistics.
    private static func rowsByKey(
        _ table: String, _ columns: String, _ ending: String, _ keys: [any PostgresEncodable]
    ) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(columns) FROM unnest($1::integer[], $2::uuid[]) AS key(of_partition, of_order) CROSS JOIN LATERAL (
                SELECT \(columns) FROM \(table) WHERE partition = key.of_partition AND order_id = key.of_order \(ending)
            ) AS found
            """, keys)
    }

    private func orders(
        _ results: [PostgresResult], _ cards: [OrderID: [PaymentID: SealedCard]], of read: Set<OrderID>
    ) throws -> [OrderID: StoredOrder] {
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
            orders[order] = try stored(
                row, order, operations[order] ?? [], commands[order] ?? [],
                read.contains(order) ? cards[order] ?? [:] : nil)
        }
        return orders
    }

    private func stored(
        _ row: PostgresRow, _ order: OrderID, _ operations: [OperationRow], _ commands: [CommandID],
        _ cards: [PaymentID: SealedCard]?
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
            partition: try row.int32("partition"),
            saved: OrderMachine(
                order: order, closure: closure, operations: operations.map(\.machine), answeredCommands: commands,
                pendingExpiry: try row.optionalIdentifier("expiry_command"), policy: policy),
            traces: traces, cards: cards)
    }

    private func sealedCards(_ result: PostgresResult) throws -> [OrderID: [PaymentID: SealedCard]] {
        try result.rows.reduce(into: [:]) { cards, row in
            guard let jwe = try row.optionalString("sealed_card") else { return }
            cards[try row.identifier("order_id"), default: [:]][try row.identifier("payment_id")] = SealedCard(
                jwe: jwe, ticketHash: try row.bytes("ticket_hash"))
        }
    }

    private func refusals(_ fence: PostgresResult, of places: [Place]) throws -> [Int32: InboxError] {
        let rows = try fence.rows.reduce(into: [Int32: PostgresRow]()) { $0[try $1.int32("partition")] = $1 }
        return try Set(places.map(\.partition)).reduce(into: [:]) { refusals, partition in
            do { try inbox.check(rows[partition], partition) } catch let error as InboxError {
                refusals[partition] = error
            }
        }
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
