import Charging
import Contracts
import OrchardPostgres
import Outbox

/// The rows of captures, voids and refunds.
enum FollowUpRow {
    /// The columns that ``read(_:policy:)`` reads, and the row's partition.
    static let columns = """
        partition, order_id, operation_id, payment_id, merchant_id, kind, target, command_id, caused_at, amount, currency,
        parts, acquirer, account, original_number, original_time, original_serial, attempt, phase, transition, sends,
        unsent, is_sending, sent_at, accepted_at, open_since, is_unknown_told, queries, queried_at, is_known_there,
        is_recovered, claims_paid, next_step, next_at, serial, absent_since, last_suspect, is_query_only, traceparent
        """

    /// Reads a row of ``columns``.
    static func read(_ row: PostgresRow, policy: ChargingPolicy) throws -> OperationRow {
        var state = try OperationState(row)
        state.lastSuspect = try row.optionalInt32("last_suspect").map { _ in
            Int(try row.count("last_suspect", below: 1 << 16))
        }
        state.isQueryOnly = try row.bool("is_query_only")
        return OperationRow(
            machine: OperationMachine(.followUp(try followUp(row)), state: state, policy: policy),
            traceparent: try row.traceparent())
    }

    private static func followUp(_ row: PostgresRow) throws -> FollowUp {
        let payment: PaymentID = try row.identifier("payment_id")
        let command: CommandID? = try row.optionalIdentifier("command_id")
        let (kind, target): (FollowUpKind, OperationKind?) = (try row.word("kind"), try row.optionalWord("target"))
        guard (target != nil) == (kind == .void) else {
            throw StoreError(.malformed, at: "target", "a void says what it undoes, and nothing else does")
        }
        return FollowUp(
            order: try row.identifier("order_id"), payment: payment, merchant: try row.identifier("merchant_id"),
            kind: kind, target: target,
            cause: command.map { .command($0) } ?? .lateSuccess(payment), causedAt: try row.time("caused_at"),
            amount: Money(minorUnits: try row.int64("amount"), currency: try row.currency("currency")),
            parts: try row.optionalString("parts").map { try OfferTotals(parsing: Array($0.utf8)) },
            original: AcquirerReference(
                acquirer: try row.string("acquirer"), account: try row.string("account"),
                orderNumber: try row.string("original_number"), time: try row.time("original_time")),
            originalSerial: try row.optionalString("original_serial"),
            attempt: Int(try row.count("attempt", below: 1 << 16)))
    }
}
