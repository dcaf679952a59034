/// A part of the acquirer that is out of service for a while.
struct Outage: Sendable {
    enum Place: String, Sendable {
        case back, query, file, notify, all
    }

    enum Mode: String, Sendable {
        /// Connections are closed without an answer.
        case drop
        /// Every request is answered 503.
        case unavailable = "503"
        /// Requests wait until the outage is over, then their connections are closed.
        case hang
    }

    var until: ContinuousClock.Instant
    var mode: Mode
}
