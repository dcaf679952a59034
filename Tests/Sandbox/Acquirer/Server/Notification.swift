/// A notification before it is sent.
struct Notification: Sendable {
    let queryID: String
    let url: String
    /// Percent-encoded.
    var form: [UInt8]
    /// The wait before the first send.
    var delay = Duration.zero
    /// How many copies are sent in parallel.
    var copies = 1
    /// How long to wait before each send of a copy, until one is acknowledged.
    var gaps: [Duration]

    /// UnionPay's five sends: at once, then after 1, 2, 4 and 5 minutes.
    static func gaps(scale: Double) -> [Duration] { [0, 1, 2, 4, 5].map { .seconds(60.0 * $0 * scale) } }
}
