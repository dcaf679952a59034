import Charging
import Contracts
import KafkaBridge
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Reads the gateway's own facts back into orders, operations and closures.
struct GatewayRecovery: RecoveredState {
    let transactions: OrderTransactions
    let logger: Logger

    /// A repeated command is recognised by its payment.
    var namesOffsets: Bool { false }

    /// Orders of one statement.
    private static let portion = 250

    func restore(
        _ events: [PublishedEvent], of stream: TopicPartition, on connection: PostgresConnection
    ) async throws {
        guard stream.topic == Topic.journal.name else { return }
        let partition = stream.partition
        var facts: [(event: CloudEvent, fact: Fact)] = []
        for published in events {
            guard let event = published.event, let fact = try published.fact(of: "charge-gateway") else { continue }
            switch fact {
            // What a file says of an order comes with facts of its own, and a settled day is no order.
            case .settlementFileRecorded, .settlementRecorded, .disputeOpened: continue
            default: facts.append((event, fact))
            }
        }
        let ids = Set(facts.map(\.fact.order)).sorted()
        let batch = transactions.batch(on: connection)
        let locked = try await batch.lockForRecovery(ids, in: partition)
        var orders = try whole(locked)
        for (event, fact) in facts {
            var order =
                orders[fact.order]
                ?? StoredOrder(order: fact.order, partition: partition, policy: transactions.policy)
            let alarms = order.restore(fact, of: event)
            orders[fact.order] = order
            transactions.telemetry.record(alarms, of: order, at: locked.time)
        }
        for id in ids { orders[id]?.suspectForgottenSends(at: locked.time) }
        try await save(orders, at: locked.time, in: batch)
    }

    func suspect(_ situation: RecoverySituation, on connection: PostgresConnection) async throws {
        let partition = situation.partition
        let batch = transactions.batch(on: connection)
        // Orders of an earlier recovery too: they may have been sent again since.
        var last: OrderID?
        while true {
            let behind = last == nil ? "" : "AND order_id > $3"
            let rows = try await connection.query(
                """
                SELECT order_id FROM (
                    SELECT order_id FROM gateway.operations
                    WHERE partition = $1 AND is_live AND phase <> 'conflicted' \(behind)
                    UNION
                    SELECT order_id FROM gateway.follow_ups
                    WHERE partition = $1 AND is_live AND phase <> 'conflicted' \(behind)) AS open
                ORDER BY order_id LIMIT $2
                """, [partition, Int64(Self.portion)] + (last.map { [$0] } ?? []))
            guard !rows.isEmpty else { return }
            let ids: [OrderID] = try rows.map { try $0.identifier("order_id") }
            last = ids.last
            let locked = try await batch.lockForRecovery(ids, in: partition)
            var orders = try whole(locked)
            for id in ids { orders[id]?.suspectForgottenSends(at: locked.time) }
            guard orders.count == ids.count else {
                throw StoreError(.malformed, at: "gateway.operations", "an operation has no order")
            }
            try await save(orders, at: locked.time, in: batch)
        }
    }

    /// - Throws: when an order has damaged rows. It can take up nothing, and the partition waits until they are mended.
    private func whole(_ locked: OrderStore.Locked) throws -> [OrderID: StoredOrder] {
        guard let (order, error) = locked.damaged.min(by: { $0.key < $1.key }) else { return locked.orders }
        throw StoreError(.malformed, at: "order \(order)", "\(error)")
    }

    private func save(_ orders: [OrderID: StoredOrder], at time: Timestamp, in batch: OrderBatch) async throws {
        let changed = orders.values.filter(\.hasChanged).sorted { $0.machine.order < $1.machine.order }
        try await batch.save(changed, [], at: time)
    }
}
