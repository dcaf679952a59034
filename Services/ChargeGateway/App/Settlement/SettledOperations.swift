import Charging
import Contracts
import OrchardPostgres
import Outbox

/// An operation of ours, as far as a row of a settlement file is compared with it.
struct KnownOperation: Sendable {
    let partition: Int32
    let merchant: MerchantID
    let order: OrderID
    let payment: PaymentID
    let operation: OperationID
    let kind: OperationKind
    let amount: Money
    let phase: OperationPhase
    let reference: AcquirerReference

    /// As ``Charge/reserved``.
    var reserved: String { order.description + payment.description }

    /// Whether the machine has nothing to learn from the row.
    func isSettled(by row: SettlementRow) -> Bool {
        (phase == .succeeded || phase == .lateSuccess) && row.amount == amount
    }
}

/// Finds the operations that rows of a settlement file are about.
struct SettledOperations: Sendable {
    let acquirer: String
    let account: String

    /// The operations under order numbers of the account: charges, and follow-ups by the attempt that they are at. Why
    /// numbers have a subquery: see `OrderStore.find`.
    func find(
        _ orderNumbers: [String], on connection: PostgresConnection
    ) async throws -> [String: [KnownOperation]] {
        let key: [any PostgresEncodable] = [orderNumbers, acquirer, account]
        let charges = try await connection.query(
            """
            SELECT partition, merchant_id, order_id, payment_id, NULL::uuid AS operation_id, kind, amount, currency, phase,
                acquirer, account, order_number, transaction_time
            FROM (SELECT partition, merchant_id, order_id, payment_id, kind, amount, currency, phase, acquirer, account,
                    order_number, transaction_time
                FROM gateway.operations WHERE order_number = ANY($1) OFFSET 0) AS named
            WHERE acquirer = $2 AND account = $3
            """, key)
        let followUps = try await connection.query(
            """
            SELECT partition, merchant_id, order_id, payment_id, operation_id, kind, amount, currency, phase, acquirer, account,
                order_number, transaction_time
            FROM (SELECT partition, merchant_id, order_id, payment_id, operation_id, kind, amount, currency, phase, acquirer,
                    account, order_number, transaction_time
                FROM gateway.follow_ups WHERE order_number = ANY($1) OFFSET 0) AS named
            WHERE acquirer = $2 AND account = $3
            """, key)
        return try (charges + followUps).reduce(into: [:]) { found, row in
            let operation = try operation(row)
            found[operation.reference.orderNumber, default: []].append(operation)
        }
    }

    private func operation(_ row: PostgresRow) throws -> KnownOperation {
        let (order, payment): (OrderID, PaymentID) = (
            try row.identifier("order_id"), try row.identifier("payment_id")
        )
        return KnownOperation(
            partition: try row.int32("partition"), merchant: try row.identifier("merchant_id"), order: order,
            payment: payment,
            operation: try row.optionalIdentifier("operation_id") ?? OperationID(chargeOf: payment, order: order),
            kind: try row.word("kind"),
            amount: Money(minorUnits: try row.int64("amount"), currency: try row.currency("currency")),
            phase: try row.word("phase"),
            reference: AcquirerReference(
                acquirer: try row.string("acquirer"), account: try row.string("account"),
                orderNumber: try row.string("order_number"), time: try row.time("transaction_time")))
    }

    /// The operation that a row is about; nil when it is none of ours.
    ///
    /// Two orders have one number only when a token was used twice: then what the row repeats of our reserved field tells
    /// which was charged, and else the one that was not refused.
    static func match(_ row: SettlementRow, among known: [KnownOperation]) -> KnownOperation? {
        let same = known.filter { $0.kind == row.kind }
        return same.first { !row.reserved.isEmpty && $0.reserved.hasPrefix(row.reserved) }
            ?? same.first { $0.phase != .refused } ?? same.first
    }
}
