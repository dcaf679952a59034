import Contracts
import KafkaBridge
import Ledger
import OrchardPostgres
import Outbox

/// The contacts of payments in the database, and the erasures of orders.
///
/// An attacker who controls token-ingest may write anything to its topic: only a limited number is stored for each order,
/// and a shop reads only the contact of the payment that paid its own order.
struct ContactStore: Sendable {
    let database: PostgresPool
    let decryptor: ContactDecryptor

    /// The most contacts of one order. One batch may exceed it.
    static let maximum = 20

    var places: ReadingPlaces { ReadingPlaces(table: "contact_places", topic: .contacts, database: database) }

    /// The result of a batch.
    struct Outcome: Hashable, Sendable {
        var stored = 0
        /// Known already, of an order whose contacts were erased, or too many.
        var ignored = 0
        /// Stored as they came, because their key is missing; these are among the stored.
        var sealed = 0
        var unreadable = 0

        var counts: [(outcome: LedgerMetrics.ContactOutcome, count: Int)] {
            [(.stored, stored), (.ignored, ignored), (.sealed, sealed), (.unreadable, unreadable)]
        }
    }

    private struct Row {
        let contact: ContactReceived
        let time: Timestamp
        /// nil while it cannot be opened.
        let json: String?
    }

    /// Stores the contacts of one partition's records. Storing them again changes nothing; the first one of a payment
    /// stays.
    func process(_ records: [KafkaRecord], of partition: Int32) async throws -> Outcome {
        guard let last = records.last else { return Outcome() }
        var outcome = Outcome()
        var rows: [Row] = []
        for record in records {
            guard let read = ContactRecord(record) else {
                outcome.unreadable += 1
                continue
            }
            let contact = read.contact
            switch decryptor.open(contact.sealedContact, of: contact.payment, contact.order) {
            case .contact(let opened):
                let json = String(decoding: opened.json, as: UTF8.self)
                rows.append(Row(contact: contact, time: read.time, json: json))
            case .keyMissing:
                rows.append(Row(contact: contact, time: read.time, json: nil))
                outcome.sealed += 1
            case .unreadable: outcome.unreadable += 1
            }
        }
        let (insertion, move) = (insertion(rows, partition), places.moving(partition, behind: last.offset))
        outcome.stored = try await database.withTransaction { connection in
            Int(try await connection.pipeline([insertion, move])[0].affectedRows)
        }
        outcome.ignored = rows.count - outcome.stored
        return outcome
    }

    private func insertion(_ rows: [Row], _ partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO ledger.contacts
                (partition, order_id, payment_id, merchant_id, received_at, contact, sealed, next_check)
            SELECT $1, n.order_id, n.payment_id, n.merchant_id, least(n.received_at, statement_timestamp()), n.contact,
                n.sealed, statement_timestamp() + interval '\(ContactLife.firstCheck.components.seconds) seconds'
            FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::text[], $7::text[])
                AS n(order_id, payment_id, merchant_id, received_at, contact, sealed)
            WHERE NOT EXISTS (SELECT 1 FROM ledger.contact_erasures e
                    WHERE e.partition = $1 AND e.order_id = n.order_id)
                AND (SELECT count(*) FROM ledger.contacts c
                    WHERE c.partition = $1 AND c.order_id = n.order_id) < \(Self.maximum)
            ON CONFLICT (partition, order_id, payment_id) DO NOTHING
            """,
            [
                partition, rows.map(\.contact.order), rows.map(\.contact.payment), rows.map(\.contact.merchant),
                rows.map(\.time.postgres), rows.map(\.json),
                rows.map { $0.json == nil ? $0.contact.sealedContact : nil },
            ])
    }

    /// Erases the contacts of an order for ever.
    ///
    /// - Returns: false when that was done before.
    static func erase(_ order: OrderID, in partition: Int32, on connection: PostgresConnection) async throws -> Bool {
        let results = try await connection.pipeline([
            PostgresStatement(
                """
                INSERT INTO ledger.contact_erasures (partition, order_id) VALUES ($1, $2)
                ON CONFLICT (partition, order_id) DO NOTHING
                """, [partition, order]),
            PostgresStatement(
                "DELETE FROM ledger.contacts WHERE partition = $1 AND order_id = $2", [partition, order]),
        ])
        return results[0].affectedRows == 1
    }
}
