import Charging
import OrchardPostgres
import Outbox

extension OperationState {
    /// Reads the columns that charges and follow-ups share.
    init(_ row: PostgresRow) throws {
        self.init(phase: try row.word("phase"))
        transition = try row.count("transition")
        sends = Int(try row.count("sends", below: 1 << 30))
        unsent = Int(try row.count("unsent", below: 1 << 30))
        isSending = try row.bool("is_sending")
        sentAt = try row.optionalTime("sent_at")
        acceptedAt = try row.optionalTime("accepted_at")
        openSince = try row.optionalTime("open_since")
        isUnknownPublished = try row.bool("is_unknown_told")
        queries = Int(try row.count("queries", below: 1 << 30))
        queriedAt = try row.optionalTime("queried_at")
        isKnownThere = try row.bool("is_known_there")
        isRecovered = try row.bool("is_recovered")
        claimsPaid = try row.optionalBool("claims_paid")
        if let step: NextStep.Kind = try row.optionalWord("next_step") {
            next = NextStep(step, at: try row.time("next_at"))
        }
        serial = try row.optionalString("serial")
        absentSince = try row.optionalTime("absent_since")
        // Its machine may decline what was never sent.
        guard phase != .created || possibleSends == 0 else {
            throw StoreError(.malformed, at: "phase", "an operation that may have been sent is never 'created'")
        }
    }
}
