import Ledger
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import Outbox

extension Problem {
    /// A body that is not what the route takes: 400 when it is no JSON that this service reads, 422 when a value is not
    /// allowed; `field` names the member.
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

    /// Goods that cannot be offered as asked.
    init(_ error: OfferError) {
        self.init(
            .unprocessableContent, code: "invalid-offer", detail: error.reason,
            members: ["field": .string(error.field), "reason": .string(error.code.rawValue)])
    }

    /// The partition's tables may lack what was lost with a database; that is being brought back, or waits for a person.
    init(_ error: InboxError) {
        self.init(
            .serviceUnavailable, code: "order-unknown-yet",
            detail:
                "this database is being brought up to the journal, and whether it lacks something of this order is not "
                + "known yet; repeat the request, with the same Idempotency-Key if it has one",
            fields: ["Retry-After": "2"])
    }

    /// The database is away, or refuses for now; an error that does not pass is ours, and a 500.
    init(_ error: PostgresError) {
        self.init(
            .serviceUnavailable, code: "database-unavailable",
            detail: "the database does not answer; repeat the request, with the same Idempotency-Key if it has one",
            fields: ["Retry-After": "1"])
    }
}
