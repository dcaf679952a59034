import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// An order that a shop opens, with its first offer.
struct NewOrder: Sendable {
    let order: OfferedOrder
    let offer: Offer
    /// The shop's key. It fixes order id and partitions before anything else is written.
    let key: IdempotencyKey?
    let time: Timestamp
    let traceparent: String?
}

extension OfferStore {
    /// Opens orders with their first offers: all of them or none.
    ///
    /// - Throws: `PostgresError`, a unique violation, when a key is known; ``ForgottenOrder`` when only the books have
    ///   the order of a key; `InboxError` while this cannot be decided.
    func open(_ new: [NewOrder], on connection: PostgresConnection) async throws {
        // Two groups that write the same keys wait for each other in one order.
        let new = new.sorted { $0.order.id < $1.order.id }
        let (orders, times) = (new.map(\.order), new.map(\.time))
        let events = new.map { row(telling: $0.offer, of: $0.order, at: $0.time, traceparent: $0.traceparent) }
        let named = new.compactMap { new in new.key.map { (key: $0, new: new) } }
        let namedOrders = named.map(\.new.order)
        let writes = [
            keys.insertion(of: named.map(\.key), namedOrders, at: named.map(\.new.time)),
            insertion(of: orders, times), insertion(of: new.map(\.offer), orders, times),
            Write(outbox.insertion(of: events), rows: events.count),
        ]
        let read = try await Write.perform(
            writes.filter { $0.rows > 0 }, reading: ForgottenOrders.search(for: namedOrders), on: connection)
        try ForgottenOrders.check(read, for: namedOrders)
        outbox.wake(for: events, at: connection)
    }

    /// Stores an order again that only the books have, with the shop's repeated request. Publishes nothing.
    ///
    /// - Parameter offers: its revisions as they were published.
    func apply(
        _ order: OfferedOrder, _ offers: [Offer], under key: IdempotencyKey, at time: Timestamp,
        on connection: PostgresConnection
    ) async throws {
        try await Write.perform(
            [
                keys.insertion(of: [key], [order], at: [time]), insertion(of: [order], [time]),
                insertion(of: offers, offers.map { _ in order }, offers.map { _ in time }),
            ], on: connection)
    }

    private func insertion(of orders: [OfferedOrder], _ times: [Timestamp]) -> Write {
        Write(
            """
            INSERT INTO ledger.offered_orders (partition, order_id, merchant_id, partitions, request,
                request_digest, revision, created_at, expiry_due, reference)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::integer[], $5::bytea[], $6::bytea[],
                $7::bigint[], $8::timestamptz[], $9::timestamptz[], $10::text[])
            """,
            [
                orders.map(\.partition), orders.map(\.id), orders.map(\.merchant), orders.map(\.partitions),
                orders.map(\.request.json), orders.map(\.requestDigest), orders.map(\.revision),
                times.map(\.postgres), orders.map { $0.request.expiresAt.map { ($0 + expiryGrace).postgres } },
                orders.map(\.request.reference),
            ], rows: orders.count)
    }

    /// - Parameters:
    ///   - orders: the order of each offer.
    ///   - times: when each offer was made.
    func insertion(of offers: [Offer], _ orders: [OfferedOrder], _ times: [Timestamp]) -> Write {
        Write(
            """
            INSERT INTO ledger.offers (partition, order_id, revision, shipping_method, total, created_at, region, coupon,
                card_type)
            SELECT * FROM unnest($1::integer[], $2::uuid[], $3::bigint[], $4::text[], $5::bigint[], $6::timestamptz[],
                $7::text[], $8::bigint[], $9::text[])
            """,
            [
                orders.map(\.partition), orders.map(\.id), offers.map(\.revision),
                offers.map { $0.shippingMethod?.identifier }, offers.map(\.totals.total), times.map(\.postgres),
                offers.map { $0.choice.region?.description }, offers.map { $0.choice.coupon.map { Int64($0) } },
                offers.map { $0.choice.cardType?.rawValue },
            ], rows: offers.count)
    }
}
