/// What a sale of an amount must come to: the outcome of its send, then those of its queries.
struct Misbehaviour: Sendable {
    /// The last three digits of the amount.
    let number: Int
    let sale: String
    /// Different ones after each other, without "accepted", which a sale may be for a moment.
    let queries: [String]

    init(_ number: Int, _ sale: String, _ queries: String...) {
        self.number = number
        self.sale = sale
        self.queries = queries
    }

    /// Whether no answer may come at all.
    var mayTimeOut: Bool { sale == "unknown" || sale == "unknown timeout" }

    static let all = onTheWay + silent + codes + declines

    private static let onTheWay =
        [0, 720, 721, 722, 724, 725].map { Misbehaviour($0, "accepted", "paid") } + [
            Misbehaviour(723, "accepted", "declined insufficientFunds"),
            Misbehaviour(700, "unknown", "paid"), Misbehaviour(701, "unknown", "notFound"),
            Misbehaviour(702, "unknown malformed", "paid"), Misbehaviour(703, "unknown HTTP status 500", "paid"),
            Misbehaviour(704, "unknown malformed", "paid"), Misbehaviour(705, "unknown signature", "paid"),
            Misbehaviour(706, "unknown untrustedCertificate", "paid"),
            Misbehaviour(707, "unknown foreignCertificate", "paid"),
            Misbehaviour(708, "unknown expiredCertificate", "paid"),
            Misbehaviour(709, "unknown", "paid"), Misbehaviour(710, "unknown timeout", "paid"),
            Misbehaviour(711, "unknown timeout", "paid"), Misbehaviour(712, "unknown timeout", "notFound"),
            Misbehaviour(713, "unknown HTTP status 502", "notFound"),
        ]

    private static let silent = [
        Misbehaviour(740, "unknown", "paid"), Misbehaviour(742, "unknown", "notFound", "paid"),
        Misbehaviour(743, "unknown", "declined insufficientFunds"),
        Misbehaviour(744, "accepted", "tooManyQueries", "paid"), Misbehaviour(745, "accepted", "failed", "paid"),
    ]

    private static let codes =
        [802, 806, 898].map { Misbehaviour($0, "unclear", "notFound") }
        + [810, 811, 831, 832, 839, 840].map { Misbehaviour($0, "declined configuration", "notFound") }
        + [803, 804].map { Misbehaviour($0, "unclear", "unclear", "paid") }
        + [903, 904].map { Misbehaviour($0, "accepted", "unclear", "paid") }
        + [942, 974, 975].map { Misbehaviour($0, "accepted", "failed, but paid") } + [
            Misbehaviour(906, "accepted", "paid, with a remark"),
            Misbehaviour(805, "accepted", "paid"), Misbehaviour(812, "alreadyKnown", "paid"),
            Misbehaviour(899, "unclear", "paid"), Misbehaviour(905, "accepted", "paid"),
        ]

    private static let declines = [
        (1, "other"), (30, "issuerDeclined"), (33, "configuration"), (38, "risk"), (60, "issuerDeclined"),
        (61, "invalidCard"), (62, "issuerDeclined"), (63, "frozenCard"), (64, "insufficientFunds"),
        (65, "incorrectPIN"), (66, "issuerDeclined"), (67, "pinTriesExceeded"), (68, "issuerDeclined"),
        (72, "issuerDeclined"), (73, "expiredCard"), (76, "issuerDeclined"), (79, "issuerDeclined"),
    ].flatMap { code, reason in
        [
            Misbehaviour(800 + code, "declined \(reason)", "declined \(reason)"),
            Misbehaviour(900 + code, "accepted", "declined \(reason)"),
        ]
    }
}
