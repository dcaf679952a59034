import Contracts
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Asks the gateway to close orders whose time is over. The gateway decides: a live charge ends first.
///
/// The command's id follows from the order, so that instances and restored databases ask once. Several instances may do
/// it at the same time.
struct OrderExpiry: Service {
    let database: PostgresPool
    let offers: OfferStore
    let keys: @Sendable () -> TicketKeys
    let metrics: LedgerMetrics
    let logger: Logger
    var interval = Duration.seconds(5)

    /// How long after its end an order is closed, if the service is not configured otherwise: payments with a valid ticket
    /// are still on their way, and clocks differ.
    static let grace = Duration.seconds(60)
    /// The most orders of one transaction.
    static let portion = 100
    /// Who gave the command, in the place of an API key.
    static let keyID = "order-ledger"

    func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            do { try await expire(at: .now) } catch {
                guard !Task.isCancelled else { return }
                logger.warning("expired orders cannot be closed, will try again: \(error)")
            }
        }
    }

    /// Asks for every order that is due.
    func expire(at time: Timestamp) async throws {
        var count = Self.portion
        while count == Self.portion {
            count = try await database.withTransaction { try await expire(at: time, on: $0) }
        }
    }

    private func expire(at time: Timestamp, on connection: PostgresConnection) async throws -> Int {
        let rows = try await connection.query(
            """
            SELECT d.order_id, d.merchant_id, d.partitions, d.partition, coalesce(o.status, 'open') AS status
            FROM (SELECT partition, order_id, merchant_id, partitions FROM ledger.offered_orders
                WHERE expiry_due <= $1 AND partitions > 0 ORDER BY expiry_due LIMIT $2 FOR UPDATE SKIP LOCKED) AS d
            LEFT JOIN ledger.orders AS o USING (partition, order_id)
            """, [time.postgres, Int64(Self.portion)])
        let signer = keys().signer.commands
        var damaged: Set<OrderID> = []
        let read = try rows.reading { row in
            let (order, partitions): (OrderID, Int32) = (try row.identifier("order_id"), try row.int32("partitions"))
            let partition = try row.int32("partition")
            guard partition == Partitioner.partition(of: order, among: partitions) else {
                throw StoreError(.malformed, at: "partition", "it is not the order's")
            }
            let command = CloseRequested(
                .expired, command: CommandID(expiring: order), order: order,
                merchant: try row.identifier("merchant_id"), partitions: partitions)
            let isOpen = try row.word("status", as: OrderStatus.self) == .open
            return (partition: partition, command: command, isOpen: isOpen)
        } damaged: { row, error in
            // A person decides about it, and no other order waits for that.
            let order: OrderID = try row.identifier("order_id")
            logger.error(
                "an order whose time is over is not closed, its row is damaged, will try again: \(error)",
                ["order_id": order.description])
            damaged.insert(order)
        }
        for (partition, command, isOpen) in read where isOpen {
            let signed = try signer.sign(.close(command))
            let isNew = try await offers.forward(
                signed, in: partition, keyID: Self.keyID, at: time, traceparent: nil, on: connection)
            if isNew { metrics.commandsForwarded.increment() }
        }
        if !rows.isEmpty {
            let orders: [OrderID] = try rows.map { try $0.identifier("order_id") }
            let again = (time + Self.grace).postgres
            try await connection.execute(
                """
                UPDATE ledger.offered_orders AS d SET expiry_due = key.due
                FROM unnest($1::integer[], $2::uuid[], $3::timestamptz[]) AS key(partition, order_id, due)
                WHERE d.partition = key.partition AND d.order_id = key.order_id
                """,
                [
                    try rows.map { try $0.int32("partition") }, orders,
                    orders.map { damaged.contains($0) ? again : nil },
                ])
        }
        return rows.count
    }
}

extension CommandID {
    /// The one command that closes an order when its time is over.
    init(expiring order: OrderID) { self.init(hash: IdempotencyKey.hash("expire", order.bytes, "")) }
}
