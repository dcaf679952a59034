import Contracts
import Ledger
import OrchardCrypto
import OrchardJSON
import OrchardPostgres
import Outbox

/// Offers and commands in the database, each written together with its fact or command in the outbox.
struct OfferStore: Sendable {
    let outbox: Outbox
    /// How long after its end an order is closed.
    var expiryGrace = OrderExpiry.grace
    let keys = IdempotencyKeyStore()
    /// `ce_source` of what the API publishes.
    static let source = EventSource.orderLedger.rawValue

    /// An order by its id; nil when there is none.
    ///
    /// - Parameter isLocked: whether to lock the order against other transactions until this one ends.
    func find(
        _ order: OrderID, locked isLocked: Bool = false, on connection: PostgresConnection
    ) async throws -> OfferedOrder? {
        // The lock is a separate statement: the next one then sees what the lock waited for, offers included.
        let lock = PostgresStatement(
            "SELECT 1 FROM ledger.offered_orders WHERE order_id = $1 FOR UPDATE", [order])
        let reading = PostgresStatement(
            """
            SELECT d.order_id, d.merchant_id, d.partitions, d.request, d.request_digest, d.revision,
                \(Self.choiceColumns), coalesce(o.status, 'open') AS status
            FROM ledger.offered_orders AS d CROSS JOIN LATERAL (
                SELECT \(Self.choiceColumns) FROM ledger.offers AS f
                WHERE f.partition = d.partition AND f.order_id = d.order_id AND f.revision = d.revision OFFSET 0) AS f
            LEFT JOIN LATERAL (
                SELECT status FROM ledger.orders AS o
                WHERE o.partition = d.partition AND o.order_id = d.order_id OFFSET 0) AS o ON true
            WHERE d.order_id = $1
            """, [order])
        let rows = try await connection.pipeline(isLocked ? [lock, reading] : [reading]).last?.rows ?? []
        guard let row = rows.first else { return nil }
        guard try row.int32("partitions") > 0 else {
            throw StoreError(.malformed, at: "offered_orders.partitions", "order \(order) is in no partition")
        }
        return OfferedOrder(
            id: try row.identifier("order_id"), merchant: try row.identifier("merchant_id"),
            partitions: try row.int32("partitions"), request: try Self.request(in: row),
            revision: try row.count("revision"), choice: try Self.choice(in: row),
            status: try row.word("status"))
    }

    /// The columns of ``choice(in:)`` in `ledger.offers`.
    static let choiceColumns = "shipping_method, region, coupon, card_type"

    /// What the customer had chosen in a revision.
    static func choice(in row: PostgresRow) throws -> OfferChoice {
        let region = try row.optionalString("region")
        let choice = OfferChoice(
            shippingMethod: try row.optionalString("shipping_method"), region: region.flatMap { Region($0) },
            coupon: try row.optionalInt64("coupon").map { Int($0) }, cardType: try row.optionalWord("card_type"))
        guard (choice.region == nil) == (region == nil) else {
            throw StoreError(.malformed, at: "offers.region", "the column has no region")
        }
        return choice
    }

    /// The shop's request. If it cannot be read or was changed, the database is at fault, not the caller. A changed
    /// request is never priced: no customer pays another price than the shop's.
    static func request(in row: PostgresRow, of table: String = "offered_orders") throws -> OfferRequest {
        let text = try row.bytes("request")
        guard SHA256.hash(text) == (try row.bytes("request_digest")) else {
            throw StoreError(
                .malformed, at: "\(table).request",
                "the request was changed after it was stored: run `order-ledger audit`")
        }
        do throws(JSONError) { return try OfferRequest(parsing: text) } catch {
            throw StoreError(.malformed, at: "\(table).request", error.description)
        }
    }

    /// Adds the next offer to an order that the transaction has locked.
    func reprice(
        _ order: OfferedOrder, _ offer: Offer, at time: Timestamp, traceparent: String?,
        on connection: PostgresConnection
    ) async throws {
        let event = row(telling: offer, of: order, at: time, traceparent: traceparent)
        try await Write.perform(
            [
                Write(
                    """
                    UPDATE ledger.offered_orders SET revision = $3
                    WHERE partition = $1 AND order_id = $2 AND revision = $3 - 1
                    """, [order.partition, order.id, offer.revision]),
                insertion(of: [offer], [order], [time]), Write(outbox.insertion(of: [event]), rows: 1),
            ], on: connection)
        outbox.wake(for: [event], at: connection)
    }

    /// Stores the final lines of an order that the transaction has locked, and publishes them.
    func finalise(
        _ order: OfferedOrder, _ offer: Offer, by command: CommandID, at time: Timestamp, traceparent: String?,
        on connection: PostgresConnection
    ) async throws {
        let fact = offer.finalFact(order: order.id, merchant: order.merchant, partitions: order.partitions)
        let event = CloudEvent(fact, source: Self.source, time: time, traceparent: traceparent)
        let row = OutboxRow(event, topic: .journal, partition: order.partition)
        try await Write.perform(
            [
                FinalOffer.insertion(of: offer, command, for: order, at: time),
                Write(outbox.insertion(of: [row]), rows: 1),
            ], on: connection)
        outbox.wake(for: [row], at: connection)
    }

    /// Stores a command and sends it to the gateway through the outbox.
    ///
    /// - Parameter request: what the shop asked for, where the command does not say it all.
    /// - Returns: false when this command was stored before.
    func forward(
        _ signed: SignedCommand, in partition: Int32, keyID: String, reason: String? = nil, request: [UInt8]? = nil,
        at time: Timestamp, traceparent: String?, on connection: PostgresConnection
    ) async throws -> Bool {
        let command = signed.claims
        let followUp: FollowUpRequested? = if case .followUp(let claims) = command { claims } else { nil }
        let known = try await connection.query(
            "SELECT 1 FROM ledger.commands WHERE partition = $1 AND order_id = $2 AND command_id = $3",
            [partition, command.order, command.command])
        guard known.isEmpty else { return false }
        try await Write.perform(
            [
                Write(
                    """
                    INSERT INTO ledger.commands (partition, order_id, command_id, type, api_key, requested_at, reason,
                        payment_id, currency, amount, request)
                    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
                    """,
                    [
                        partition, command.order, command.command, command.type.rawValue, keyID, time.postgres,
                        reason, followUp?.payment, followUp?.amount?.currency.code, followUp?.amount?.minorUnits,
                        request,
                    ])
            ], on: connection)
        let event = CloudEvent(
            .signed(signed), source: Self.source, time: time, traceparent: traceparent)
        try await outbox.insert([OutboxRow(event, topic: .charges, partition: partition)], on: connection)
        return true
    }

    /// Restores the prices that the journal has for known orders: this database has lost them.
    static func restore(_ published: [OfferFact], of partition: Int32, on connection: PostgresConnection) async throws {
        guard !published.isEmpty else { return }
        try await connection.execute(
            """
            INSERT INTO ledger.offers (partition, order_id, revision, shipping_method, total, region, coupon, card_type,
                created_at)
            SELECT DISTINCT d.partition, d.order_id, t.revision, t.method, t.total, t.region, t.coupon, t.card_type,
                statement_timestamp()
            FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[])
                AS t(order_id, revision, method, total, region, coupon, card_type) CROSS JOIN LATERAL (
                    SELECT partition, order_id, revision FROM ledger.offered_orders
                    WHERE partition = $1 AND order_id = t.order_id OFFSET 0) AS d
            WHERE t.revision > d.revision
            """,
            [
                partition, published.map(\.order), published.map(\.revision), published.map(\.shippingMethod),
                published.map(\.totals.total), published.map { $0.region?.description },
                published.map { $0.coupon.map { Int64($0) } }, published.map { $0.cardType?.rawValue },
            ])
        try await connection.execute(
            """
            UPDATE ledger.offered_orders AS d SET revision = t.revision
            FROM (SELECT $1::integer AS partition, order_id, max(revision) AS revision
                FROM unnest($2::uuid[], $3::bigint[]) AS t(order_id, revision) GROUP BY order_id OFFSET 0) AS t
            WHERE d.partition = t.partition AND d.order_id = t.order_id AND t.revision > d.revision
            """, [partition, published.map(\.order), published.map(\.revision)])
    }

    /// The fact of an offer. It is written in the same round trip as the offer.
    func row(telling offer: Offer, of order: OfferedOrder, at time: Timestamp, traceparent: String?) -> OutboxRow {
        let fact = offer.fact(order: order.id, merchant: order.merchant, partitions: order.partitions)
        let event = CloudEvent(fact, source: Self.source, time: time, traceparent: traceparent)
        return OutboxRow(event, topic: .journal, partition: order.partition)
    }
}
