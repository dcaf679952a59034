import Contracts
import Ledger
import OrchardJSON
import OrchardPostgres
import Outbox

/// A command as it was stored when it was handed to the gateway.
struct StoredCommand: Hashable, Sendable {
    let id: CommandID
    let type: String
    let requestedAt: Timestamp
    /// Why it was given: of a cancel the word, of a refund the shop's own words.
    let reason: String?
    /// The payment that it is about; nil for one that closes the order.
    let payment: PaymentID?
    let amount: Money?
    /// What the shop asked for, canonical JSON; nil for one that closes the order.
    let request: [UInt8]?

    /// A command that is handed to the gateway now.
    ///
    /// - Parameters:
    ///   - time: when; the signed command has it in whole seconds, with which the acquirer's key begins.
    ///   - request: what the shop asked for.
    init(_ claims: FollowUpRequested, at time: Timestamp, reason: String?, request: [UInt8]) {
        (id, type, requestedAt, self.reason) = (claims.command, claims.type.rawValue, time, reason)
        (payment, amount, self.request) = (claims.payment, claims.amount, request)
    }

    static let columns = "command_id, type, requested_at, reason, payment_id, currency, amount, request"

    init(_ row: PostgresRow) throws {
        id = try row.identifier("command_id")
        type = try row.string("type")
        requestedAt = try row.time("requested_at")
        reason = try row.optionalString("reason")
        payment = try row.optionalIdentifier("payment_id")
        amount = try row.optionalInt64("amount").map {
            Money(minorUnits: $0, currency: try row.currency("currency"))
        }
        request = try row.optionalBytes("request")
    }

    /// The commands of an order, in the order in which they were given.
    static func reading(of order: OrderID, in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            """
            SELECT \(columns) FROM ledger.commands WHERE partition = $1 AND order_id = $2
            ORDER BY requested_at, command_id
            """, [partition, order])
    }

    static func reading(_ command: CommandID, of order: OrderID, in partition: Int32) -> PostgresStatement {
        PostgresStatement(
            "SELECT \(columns) FROM ledger.commands WHERE partition = $1 AND order_id = $2 AND command_id = $3",
            [partition, order, command])
    }

    var isClosing: Bool { type == CommandType.cancel.rawValue || type == CommandType.expire.rawValue }

    /// The lines that a refund gives back; none for another command.
    func returnedLines(in currency: Currency) throws -> [ReturnedLine] {
        guard type == CommandType.refund.rawValue, let request else { return [] }
        do throws(JSONError) {
            let content = try FollowUpRequest(parsing: request, .refund, in: currency).content
            if case .refundLines(let lines) = content { return lines }
            return []
        } catch {
            throw StoreError(.malformed, at: "commands.request", "command \(id): \(error)")
        }
    }
}
