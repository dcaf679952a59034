/// Something that goes wrong, and what must follow. The tests that prove it are marked with its number.
struct FailureScenario: Sendable {
    let number: Int
    let sentence: String
    /// What no test can prove yet, and why.
    let waits: String?

    init(_ number: Int, _ sentence: String, waits: String? = nil) {
        self.number = number
        self.sentence = sentence
        self.waits = waits
    }

    static let all = deliveries + outcomes + notifications + orders + money + operation

    private static let deliveries = [
        FailureScenario(1, "Kafka delivers a command to charge twice: one operation, charged once at most."),
        FailureScenario(2, "A hundred copies of a command reach two instances at once: one payment, charged once."),
        FailureScenario(
            3,
            "A gateway dies between the committed intent and the send: the next one asks first, then repeats the send under the same key while ticket and time allow. What that is answered proves success, never failure. Later the charge stays unknown."
        ),
        FailureScenario(
            4, "A gateway dies after the send, before the answer is stored: nothing is sent blindly, a query decides."),
        FailureScenario(
            5,
            "A gateway dies after the answer is stored, before Kafka knows: the command comes again and changes nothing."
        ),
        FailureScenario(
            6, "A program dies before its event has left the outbox: it is published all the same, under one id."),
        FailureScenario(
            7,
            "No connection, no such name, no TLS: surely nothing was sent. It is tried again, and charged once at most."
        ),
    ]

    private static let outcomes = [
        FailureScenario(
            8, "The answer is lost, but the acquirer charged: a query finds it, and there is no second sale."),
        FailureScenario(
            9,
            "The answer is lost, and the acquirer never saw the request: the charge stays unknown, is never called failed, and ends as not charged by the settlement file."
        ),
        FailureScenario(
            10,
            "Accepted or silent, and no notification: the first query leaves 3 s after the send, and queries decide."),
        FailureScenario(
            11, "Queries say pending, pending, unclear, paid: it is paid, after no more queries than planned."),
        FailureScenario(
            12, "Accepted, then a notification of a wrong PIN: the charge ends as declined, the order is not paid."),
    ]

    private static let notifications = [
        FailureScenario(13, "A notification comes before the answer: the end is the same."),
        FailureScenario(
            14, "A notification comes five times, and two at once: one entry in the books, and each gets 200 in time."),
        FailureScenario(15, "A notification with a wrong signature is refused and counted; nothing changes."),
        FailureScenario(16, "A notification signed under another root, or by somebody else's certificate, is refused."),
        FailureScenario(17, "A notification for another merchant, or of an order of nobody, never makes a payment."),
        FailureScenario(18, "A notification of another amount or currency is a conflict: not paid, and an alarm."),
        FailureScenario(19, "A genuine notification of one order, sent again for another, changes nothing."),
        FailureScenario(
            20, "A notification after a query has decided changes nothing; a contrary one raises an alarm."),
        FailureScenario(
            21, "The acquirer calls a send a duplicate: it has it already. A query follows; it is no failure."),
        FailureScenario(
            22,
            "An unclear code leads to no other sale. A wrong signature, HTML, no body or a 5xx leaves the charge unknown."
        ),
        FailureScenario(
            23,
            "The acquirer says failed with a code that means charged: the money is booked, and refunded or reviewed."),
        FailureScenario(24, "Success with a defect (A6): paid, with a remark, and shown by the reconciliation."),
        FailureScenario(25, "Too many queries: the next one comes later, the state stays."),
        FailureScenario(
            26, "Queries fail for an hour: charges stay unknown, and all of them end when the acquirer is back."),
    ]

    private static let orders = [
        FailureScenario(27, "A second token while the first may still pay is refused, and the refusal says why."),
        FailureScenario(28, "A second token after the first was declined is charged under a key of its own."),
        FailureScenario(29, "One token for two orders: the second order is refused."),
        FailureScenario(30, "A token of another amount than the order's is refused; the order's is what is charged."),
        FailureScenario(
            31, "A repetition after midnight, or after 23:00 when UnionPay's day ends, keeps the first time: one sale."),
        FailureScenario(
            32,
            "A wrong clock or time zone: the acquirer's times are Beijing's, and a time that it refuses charges nobody and raises an alarm."
        ),
        FailureScenario(33, "One acquirer is silent, and there is another: nothing goes to the other one."),
        FailureScenario(
            34, "Money comes after the order has ended or was paid otherwise: a late success, refunded exactly once."
        ),
        FailureScenario(35, "A cancel races the charge: cancelled and not charged, or charged and not cancelled."),
    ]

    private static let money = [
        FailureScenario(
            36, "A void after 23:00 or after a refund becomes a refund, and is not called a void."),
        FailureScenario(
            37,
            "The answer to a refund is lost: unknown until a query under the refund's own key. Fifty refunds at once never exceed what was taken."
        ),
        FailureScenario(
            38,
            "The acquirer answers a refund with \"refunded already\": that proves nothing of ours, a query under its own key decides. A refund above the rest is rejected here."
        ),
        FailureScenario(
            39, "A capture takes 115 % at most, once, within 30 days; afterwards the authorisation has expired."
        ),
    ]

    private static let operation = [
        FailureScenario(
            40,
            "The brokers go away under load: no accepted command is lost, nobody is charged twice, the rest is caught up."
        ),
        FailureScenario(
            41, "The database loses connections, also during COMMIT: what it has is read again; one posting."),
        FailureScenario(
            42,
            "A process is stopped or loses its partitions during a send: the second send has the same key; charged once."
        ),
        FailureScenario(43, "A slow acquirer holds a bounded number of requests; other merchants and queries go on."),
        FailureScenario(
            44, "A record that cannot be read goes to the dead letters with a reason; its partition goes on."),
        FailureScenario(45, "A dead letter of a charge that was taken meanwhile is replayed: no effect."),
        FailureScenario(
            46, "A fact comes twice or out of order: it is booked once, and nothing goes back to an older state."),
        FailureScenario(
            47, "All facts folded again from nothing give the same rows and balances; no acquirer is asked."),
        FailureScenario(
            48,
            "The settlement file: an unknown sale that it has is paid; one that it lacks, or has alone, is a difference; disputes are entered; a missing file is fetched again; fees and sums agree to the fen."
        ),
        FailureScenario(
            49, "Certificates change under requests: old and new are believed side by side, an expired one is not."),
        FailureScenario(
            50,
            "An Idempotency-Key with another request is refused, and nothing is done. A stored error is no outcome."),
        FailureScenario(51, "Whatever fails: no card data in logs, dead letters, metrics or traces."),
        FailureScenario(
            52,
            "A command that waited past its ticket is declined and never sent; below a recovery's mark it is asked for."
        ),
        FailureScenario(
            53, "A repetition is refused as wrong, but the first send was booked: unknown, then paid by a query."),
        FailureScenario(
            54,
            "A cheaper revision is paid after a dearer one was issued: the paid one is the order, or refused where the address lies outside of its region."
        ),
        FailureScenario(
            55, "Two tokens of one order were answered 202: the second device reads refused, never the first's end."),
        FailureScenario(
            56,
            "A database from an hour ago takes nothing until it is recovered; then nobody is charged twice, and nothing charged is declined. The same after a standby was promoted without the last commits."
        ),
        FailureScenario(
            57,
            "The sealing key changes while commands wait: they are read. An unknown key makes them wait, with an alarm; a destroyed one declines only what cannot have been sent."
        ),
    ]
}
