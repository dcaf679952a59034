import Contracts
import Ledger
import OrchardPostgres
import Outbox

/// When things happened to an order, and what devices claimed of its cards: read from the records of the journal, because
/// the books keep neither.
struct OrderHistory: Sendable {
    struct Payment: Sendable {
        /// The time of its first fact.
        let createdAt: Timestamp
        /// The time of its newest fact.
        var updatedAt: Timestamp
        /// When money moved for it.
        var chargedAt: Timestamp?
        var claimedDisplayName: ClaimedDisplayName?
    }

    private(set) var payments: [PaymentID: Payment] = [:]
    /// When the order was opened; nil until its first fact has come back through the journal.
    private(set) var openedAt: Timestamp?
    private(set) var updatedAt: Timestamp?

    /// The records of an order but its prices, of which one order may have hundreds.
    static func reading(of order: OrderID, in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT time, type, \(JournalRecord.columns) FROM (
                SELECT "offset", occurred_at AS time, event_type AS type, \(JournalRecord.columns) FROM ledger.facts
                WHERE partition = $1 AND order_id = $2 AND \(JournalTables.isTaken) AND event_type <> $3
                OFFSET 0) AS f ORDER BY "offset" LIMIT 2000
            """, [partition, order, FactType.orderRepriced.text])
    }

    init(_ rows: [PostgresRow]) throws {
        for row in rows {
            let (fact, time) = (
                try Fact(type: row.string("type"), value: row.recordValue()), try row.time("time")
            )
            updatedAt = max(updatedAt ?? time, time)
            switch fact {
            case .orderOpened: openedAt = time
            case .payment(let fact): add(fact, at: time)
            case .followUp(let fact): add(fact, at: time)
            case .orderRepriced, .orderFinalised, .orderClosed, .commandRejected, .settlementFileRecorded,
                .settlementRecorded, .disputeOpened, .differenceExplained, .payOutReceived:
                break
            }
        }
    }

    private mutating func add(_ fact: PaymentFact, at time: Timestamp) {
        var payment = payments[fact.payment] ?? Payment(createdAt: time, updatedAt: time)
        payment.updatedAt = max(payment.updatedAt, time)
        switch fact.event {
        case .accepted(let card, _, _): payment.claimedDisplayName = card.claimedDisplayName
        case .succeeded, .lateSuccess: payment.chargedAt = time
        case .resolved(let resolution):
            if resolution.outcome == .paid, fact.kind == .sale { payment.chargedAt = time }
        case .refused, .authorised, .authorisationExpired, .declined, .unknown, .notCharged, .conflicted,
            .lateAuthorised:
            break
        }
        payments[fact.payment] = payment
    }

    /// Held money is charged by its capture.
    private mutating func add(_ fact: FollowUpFact, at time: Timestamp) {
        guard var payment = payments[fact.payment] else { return }
        payment.updatedAt = max(payment.updatedAt, time)
        if fact.kind == .capture, fact.event.isDone { payment.chargedAt = time }
        payments[fact.payment] = payment
    }
}

extension FollowUpEvent {
    /// Whether the acquirer, or a person, says that it was done.
    fileprivate var isDone: Bool {
        switch self {
        case .succeeded: true
        case .resolved(let resolution): resolution.outcome == .paid
        case .accepted, .failed, .unknown, .conflicted: false
        }
    }
}
