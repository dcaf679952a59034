import Charging
import Contracts
import OrchardPostgres
import Outbox

/// Reads and locks orders.
///
/// Locks are taken in one order: the partitions' watermarks first, then order rows by their identifiers.
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
        /// Orders that another transaction holds: they have operations, and their rows were skipped.
        let held: Set<OrderID>
        /// Orders with a row that cannot be read, and why: nothing steps them.
        let damaged: [OrderID: any Error]
    }

    /// What to do when another transaction holds the lock.
    enum LockWait: String {
        case wait = "FOR UPDATE"
        case skip = "FOR UPDATE SKIP LOCKED"
    }

    /// Locks those of the orders that have a row and reads them with their operations, in one round trip.
    ///
    /// - Parameter cards: the orders whose sealed card data are wanted.
    func lock(
        _ places: [Place], _ lockWait: LockWait, cards: [Place] = [], on connection: PostgresConnection
    ) async throws -> Locked {
        let results = try await connection.pipeline(statements(places, lockWait, cards: cards))
        return try await locked(results, places, cards: cards, on: connection)
    }

    /// Reads the results of ``statements(_:_:cards:)``.
    func locked(
        _ results: [PostgresResult], _ places: [Place], cards: [Place], on connection: PostgresConnection
    ) async throws -> Locked {
        guard let clock = results[4].rows.first else {
            throw StoreError(.malformed, at: "clock_timestamp", "the database does not tell the time")
        }
        let now = try clock.time("now")
        var rows = OrderRows()
        let followed = try rows.read(results[0]) { row in
            try row.bool("has_follow_ups")
                ? Place(order: try row.identifier("order_id"), partition: try row.int32("partition")) : nil
        }.values.flatMap { $0.compactMap(\.self) }
        // Few orders have any, and the others are not to wait for them.
        let followUps = followed.isEmpty ? nil : try await connection.pipeline([self.followUps(of: followed)])[0]
        var policy = policy
        policy.recordSince = try clock.time("record_since")
        let reader = Self(policy: policy, inbox: inbox)
        let orders = try reader.orders(results, followUps, of: Set(cards.map(\.order)), &rows)
        let found: [OrderID] =
            orders.count == places.count ? [] : try results[1].rows.map { try $0.identifier("order_id") }
        return Locked(
            orders: orders, time: now, refusals: try refusals(results[5], of: places),
            held: Set(found).subtracting(orders.keys).subtracting(rows.damaged.keys), damaged: rows.damaged)
    }

    /// The statements of ``lock(_:_:cards:on:)``, to be sent in a pipeline with others.
    func statements(_ places: [Place], _ lockWait: LockWait, cards: [Place]) -> [PostgresStatement] {
        let keys = Self.keys(places.sorted { $0.order < $1.order })
        return [
            Self.rowsByKey(
                "gateway.orders",
                "order_id, partition, closed_reason, closed_payment, closed_command, expiry_command, has_follow_ups",
                lockWait.rawValue, keys),
            Self.rowsByKey("gateway.operations", OperationRow.columns, "ORDER BY number", keys),
            Self.rowsByKey("gateway.answered_commands", "order_id, command_id", "ORDER BY command_id", keys),
            Self.rowsByKey(
                "gateway.operations", "order_id, payment_id, sealed_card, ticket_hash", "OFFSET 0", Self.keys(cards)),
            PostgresStatement(
                """
                SELECT clock_timestamp() AS now, greatest(pg_postmaster_start_time(), (SELECT max(recovered_at)
                    FROM \(inbox.schema).inbox_recoveries WHERE topic = $1)) AS record_since
                """, [inbox.topic]),
            inbox.fence(Set(places.map(\.partition)).sorted()),
        ]
    }

    /// Reads the follow-ups of orders.
    func followUps(of places: [Place]) -> PostgresStatement {
        Self.rowsByKey("gateway.follow_ups", FollowUpRow.columns, "ORDER BY number", Self.keys(places))
    }

    /// Those of the orders for which something is due, now or later. Takes no lock.
    func waiting(among places: [Place], on connection: PostgresConnection) async throws -> Set<OrderID> {
        // Not with a condition: the index of what is due would then be read whole when nothing seemed to be due.
        let statement = Self.rowsByKey("gateway.orders", "order_id, due_step", "OFFSET 0", Self.keys(places))
        let rows = try await connection.pipeline([statement])[0].rows
        return Set(try rows.filter { try $0.optionalString("due_step") != nil }.map { try $0.identifier("order_id") })
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
        _ results: [PostgresResult], _ followUpRows: PostgresResult?, of read: Set<OrderID>, _ rows: inout OrderRows
    ) throws -> [OrderID: StoredOrder] {
        let operations = try rows.read(results[1]) { try OperationRow($0, policy: policy) }
        let followUps = try followUpRows.map { try rows.read($0) { try FollowUpRow.read($0, policy: policy) } } ?? [:]
        let commands: [OrderID: [CommandID]] = try rows.read(results[2]) { try $0.identifier("command_id") }
        let cards = try rows.read(results[3]) { try sealedCard($0) }
        let orders = try rows.read(results[0]) { row in
            let order: OrderID = try row.identifier("order_id")
            return try stored(
                row, order, operations[order] ?? [], followUps[order] ?? [], commands[order] ?? [],
                read.contains(order)
                    ? Dictionary((cards[order] ?? []).compactMap(\.self)) { $1 } : nil)
        }
        return orders.compactMapValues(\.first).filter { rows.damaged[$0.key] == nil }
    }

    private func stored(
        _ row: PostgresRow, _ order: OrderID, _ operations: [OperationRow], _ followUps: [OperationRow],
        _ commands: [CommandID], _ cards: [PaymentID: SealedCard]?
    ) throws -> StoredOrder {
        let reason: OrderClosure.Reason? = try row.optionalWord("closed_reason")
        let closure = try reason.map {
            OrderClosure(
                reason: $0, payment: try row.optionalIdentifier("closed_payment"),
                command: try row.optionalIdentifier("closed_command"))
        }
        var traces: [OperationID: String] = [:]
        for operation in operations + followUps { traces[operation.machine.subject.operation] = operation.traceparent }
        return StoredOrder(
            partition: try row.int32("partition"),
            saved: OrderMachine(
                order: order, closure: closure, operations: operations.map(\.machine),
                followUps: followUps.map(\.machine), answeredCommands: commands,
                pendingExpiry: try row.optionalIdentifier("expiry_command"), policy: policy),
            traces: traces, cards: cards)
    }

    /// - Returns: nil when the card data are gone.
    private func sealedCard(_ row: PostgresRow) throws -> (PaymentID, SealedCard)? {
        guard let jwe = try row.optionalString("sealed_card") else { return nil }
        return (try row.identifier("payment_id"), SealedCard(jwe: jwe, ticketHash: try row.bytes("ticket_hash")))
    }

    private func refusals(_ fence: PostgresResult, of places: [Place]) throws -> [Int32: InboxError] {
        let rows = try fence.rows.reduce(into: [Int32: PostgresRow]()) { $0[try $1.int32("partition")] = $1 }
        return try Set(places.map(\.partition)).reduce(into: [:]) { refusals, partition in
            do { try inbox.check(rows[partition], partition) } catch let error as InboxError {
                refusals[partition] = error
            }
        }
    }
}
