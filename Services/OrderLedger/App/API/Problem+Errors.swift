import Contracts
import Ledger
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension Problem {
    /// A body that the route does not accept: 400 when it is not JSON that this service reads, 422 when a value is not
    /// allowed. `field` names the member.
    init(_ error: JSONError) {
        let isText: Set<JSONError.Code> = [.syntax, .encoding, .duplicate, .depth, .type]
        self.init(
            isText.contains(error.code) ? .badRequest : .unprocessableContent, code: "invalid-body",
            detail: error.reason,
            members: [
                "field": .string(error.path), "offset": .integer(Int64(error.offset)),
                "reason": .string(error.code.description),
            ])
    }

    /// The order's time is over.
    static func orderExpired(_ order: OrderID) -> Problem {
        Problem(
            .conflict, code: "order-expired", detail: "the order has expired; open a new one",
            members: ["orderId": .string(order.description)])
    }

    /// Goods that cannot be offered as requested.
    init(_ error: OfferError) {
        self.init(
            .unprocessableContent, code: "invalid-offer", detail: error.reason,
            members: ["field": .string(error.field), "reason": .string(error.code.rawValue)])
    }

    /// Only the books have the order.
    static var goodsUnknown: Problem {
        Problem(
            .conflict, code: "goods-unknown",
            detail: "the goods of this order were lost with a database: open the order again with the same body "
                + "and the same Idempotency-Key; you get the same order")
    }

    /// Which pieces a refund gave back was lost with a database; its amount is in the books.
    static var returnedGoodsUnknown: Problem {
        Problem(
            .conflict, code: "goods-unknown",
            detail: "which pieces an earlier refund of this payment gave back was lost with a database: refund an "
                + "amount")
    }

    /// The partition's tables may lack data of a lost database. Recovery is in progress, or waits for an operator.
    init(_ error: InboxError) {
        self.init(
            .serviceUnavailable, code: "order-unknown-yet",
            detail:
                "this database is catching up with the journal and may still lack data of this order; "
                + "repeat the request, with the same Idempotency-Key if it has one",
            fields: ["Retry-After": "2"])
    }

    /// The database is unreachable or refuses for now. Errors that are not transient are ours, and give a 500.
    init(_ error: PostgresError) {
        self.init(
            .serviceUnavailable, code: "database-unavailable",
            detail: "the database does not answer; repeat the request, with the same Idempotency-Key if it has one",
            fields: ["Retry-After": "1"])
    }

    /// Orders could not be read at rest.
    init(_ error: OrdersChanging) {
        self.init(
            .serviceUnavailable, code: "database-unavailable",
            detail: "the order's partition was written each time while it was read; repeat the request, with the same "
                + "Idempotency-Key if it has one",
            fields: ["Retry-After": "1"])
    }
}
