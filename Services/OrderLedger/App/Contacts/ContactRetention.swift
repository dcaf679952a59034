import Contracts
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Erases the contacts that nobody needs any more, and opens those whose key has come. Several instances may do so at
/// once.
struct ContactRetention: Service {
    let database: PostgresPool
    let decryptor: ContactDecryptor
    /// The current merchants. They change while the service runs.
    let registry: @Sendable () -> MerchantRegistry
    let metrics: LedgerMetrics
    let logger: Logger
    var interval = Duration.seconds(15)

    /// The most contacts of one transaction.
    static let portion = 500

    func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            do { try await check(at: .now) } catch {
                guard !Task.isCancelled else { return }
                logger.warning("contacts that are due cannot be erased, will try again: \(error)")
            }
        }
    }

    /// Decides on every contact that is due.
    func check(at time: Timestamp) async throws {
        var count = Self.portion
        while count == Self.portion {
            count = try await database.withTransaction { try await checkSome(at: time, on: $0) }
        }
    }

    private func checkSome(at time: Timestamp, on connection: PostgresConnection) async throws -> Int {
        let rows = try await connection.query(
            """
            SELECT c.partition, c.order_id, c.payment_id, c.merchant_id, c.received_at, c.sealed, o.status,
                coalesce(o.paid_payment = c.payment_id, false) AS is_paying, e.order_id IS NOT NULL AS is_erased
            FROM (SELECT partition, order_id, payment_id, merchant_id, received_at, sealed FROM ledger.contacts
                WHERE next_check <= $1 ORDER BY next_check LIMIT \(Self.portion) FOR UPDATE SKIP LOCKED) AS c
            LEFT JOIN ledger.orders AS o USING (partition, order_id)
            LEFT JOIN ledger.contact_erasures AS e USING (partition, order_id)
            """, [time.postgres])
        guard !rows.isEmpty else { return 0 }
        let merchants = registry()
        var erased: [Key] = []
        var kept: [(key: Key, until: Timestamp, json: String?)] = []
        let contacts = try rows.reading { row in
            let merchant = merchants[try row.identifier("merchant_id")]
            let life = ContactLife(
                receivedAt: try row.time("received_at"),
                retention: .seconds(
                    (merchant?.contactRetentionDays ?? Merchant.defaultContactRetentionDays) * 86_400),
                order: try row.optionalWord("status"), isPaying: try row.bool("is_paying"),
                isErased: try row.bool("is_erased"))
            return (key: try Key(row), life: life, sealed: try row.optionalString("sealed"))
        } damaged: { row, error in
            // Nobody knows how long it may stay: a person decides, and no other contact waits for that.
            let key = try Key(row)
            logger.error(
                "a contact that is due cannot be looked at, its row is damaged: \(error)",
                ["order_id": key.order.description, "payment_id": key.payment.description])
            kept.append((key, time + ContactLife.firstCheck, nil))
        }
        for (key, life, sealed) in contacts {
            let opened = sealed.map { decryptor.open($0, of: key.payment, key.order) }
            switch (life.decision(at: time), opened) {
            case (.erase, _), (_, .unreadable?): erased.append(key)
            case (.keep(let end), .contact(let contact)?):
                kept.append((key, end, String(decoding: contact.json, as: UTF8.self)))
            case (.keep(let end), nil): kept.append((key, end, nil))
            case (.keep, .keyMissing?): kept.append((key, time + ContactLife.firstCheck, nil))
            }
        }
        _ = try await connection.pipeline([
            PostgresStatement(
                """
                DELETE FROM ledger.contacts AS c USING unnest($1::integer[], $2::uuid[], $3::uuid[])
                    AS key(partition, order_id, payment_id)
                WHERE c.partition = key.partition AND c.order_id = key.order_id AND c.payment_id = key.payment_id
                """, [erased.map(\.partition), erased.map(\.order), erased.map(\.payment)]),
            PostgresStatement(
                """
                UPDATE ledger.contacts AS c SET next_check = key.next_check, contact = coalesce(key.contact, c.contact),
                    sealed = CASE WHEN key.contact IS NULL THEN c.sealed END
                FROM unnest($1::integer[], $2::uuid[], $3::uuid[], $4::timestamptz[], $5::text[])
                    AS key(partition, order_id, payment_id, next_check, contact)
                WHERE c.partition = key.partition AND c.order_id = key.order_id AND c.payment_id = key.payment_id
                """,
                [
                    kept.map(\.key.partition), kept.map(\.key.order), kept.map(\.key.payment),
                    kept.map(\.until.postgres), kept.map(\.json),
                ]),
        ])
        metrics.contacts(.erased).increment(by: Int64(erased.count))
        return rows.count
    }

    private struct Key {
        let partition: Int32
        let order: OrderID
        let payment: PaymentID

        init(_ row: PostgresRow) throws {
            partition = try row.int32("partition")
            order = try row.identifier("order_id")
            payment = try row.identifier("payment_id")
        }
    }
}
