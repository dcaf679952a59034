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

/// The order's key has opened an order before.
struct KnownKey: Error {}

extension OfferStore {
    /// Opens orders with their first offers, and commits.
    ///
    /// - Returns: for each order, why it was not opened: ``KnownKey``; ``ForgottenOrder`` when only the books have the order
    ///   of a key; `InboxError` while this cannot be decided.
    /// - Throws: `PostgresError`, a unique violation, when another transaction writes one of the keys: then none is opened.
    func open(_ new: [NewOrder], on connection: PostgresConnection) async throws -> [Result<Void, any Error>] {
        let refusals = try await refusals(of: new, on: connection)
        // Two groups that write the same keys wait for each other in one order.
        let opened = new.filter { refusals[$0.order.id] == nil }.sorted { $0.order.id < $1.order.id }
        let (orders, times) = (opened.map(\.order), opened.map(\.time))
        let named = opened.compactMap { new in new.key.map { (key: $0, new: new) } }
        let writes = [
            keys.insertion(of: named.map(\.key), named.map(\.new.order), at: named.map(\.new.time)),
            insertion(of: orders, times), insertion(of: opened.map(\.offer), orders, times),
        ].filter { $0.rows > 0 }
        if !opened.isEmpty {
            let events = opened.map {
                row(telling: $0.offer, of: $0.order, at: $0.time, traceparent: $0.traceparent)
            }
            try await outbox.commit(events, with: writes, on: connection)
        }
        return new.map { new in refusals[new.order.id].map { .failure($0) } ?? .success(()) }
    }

    /// The orders that are not opened, and why. Only a key can name one that is there.
    private func refusals(
        of new: [NewOrder], on connection: PostgresConnection
    ) async throws -> [OrderID: any Error] {
        let named = new.filter { $0.key != nil }
        guard !named.isEmpty else { return [:] }
        let results = try await connection.pipeline(
            [keys.search(for: named.compactMap(\.key))] + ForgottenOrders.search(for: named.map(\.order)))
        var refusals = try ForgottenOrders.refusals(Array(results.dropFirst()), of: named.map(\.order))
        for row in results[0].rows { refusals[try row.identifier("order_id")] = KnownKey() }
        return refusals
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
