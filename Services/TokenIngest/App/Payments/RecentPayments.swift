import Contracts
import OrchardCrypto
import OrchardServiceKit

/// The payments that Kafka acknowledged recently. The same body gets the same 202 without being verified, sealed and
/// published again, so that one valid body cannot fill a topic.
///
/// It saves work and guarantees nothing. Another worker, or a worker that has forgotten a payment, publishes it again,
/// and the gateway drops what it knows. Only acknowledged payments are remembered, so a repetition after a 503 is
/// published.
final class RecentPayments: Sendable {
    /// Exactly these bytes with exactly this ticket.
    struct Attempt: Hashable, Sendable {
        let id: AttemptID
        let ticket: [UInt8]

        /// - Parameter ticket: in its compact form.
        init(_ id: AttemptID, ticket: String) {
            self.id = id
            self.ticket = SHA256.hash(Array(ticket.utf8))
        }
    }

    /// The number of tickets with which a payment is published. A customer who pays has one, or a second one after a
    /// long time.
    static let ticketsPerPayment = 5
    /// Attempts of one payment that may wait for Kafka at once.
    static let publishingPerPayment = 4

    private struct Generation {
        /// With the time until which the same body is accepted.
        var attempts: [Attempt: (payment: PaymentID, until: Timestamp)] = [:]
        var tickets: [PaymentID: Set<[UInt8]>] = [:]
    }

    private struct State {
        var new = Generation()
        var old = Generation()
        var publishing: [PaymentID: Int] = [:]

        func tickets(of payment: PaymentID) -> Set<[UInt8]> {
            new.tickets[payment, default: []].union(old.tickets[payment, default: []])
        }
    }

    private let capacity: Int
    private let state = Locked(State())

    /// - Parameter capacity: attempts that are always remembered. Above twice as many the oldest half is forgotten.
    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// The payment as which this attempt was accepted, while the attempt would still be accepted.
    func payment(of attempt: Attempt, at time: Timestamp) -> PaymentID? {
        state.withLock { state in
            guard let known = state.new.attempts[attempt] ?? state.old.attempts[attempt], time < known.until else {
                return nil
            }
            return known.payment
        }
    }

    /// Whether the payment needs no further publishing, whatever its bytes are this time.
    func isKnown(_ payment: PaymentID, ticket: [UInt8]) -> Bool {
        state.withLock { state in
            let tickets = state.tickets(of: payment)
            return tickets.contains(ticket) || tickets.count >= Self.ticketsPerPayment
        }
    }

    /// Publishes with `body`, and remembers the payment when it was acknowledged.
    ///
    /// - Parameter until: the time from which the same body is no longer accepted.
    /// - Returns: false when too many attempts of the payment wait for Kafka already; then nothing was done.
    /// - Throws: what `body` throws.
    func publishing<Failure: Error>(
        _ payment: PaymentID, _ attempt: Attempt, until: Timestamp, _ body: () async throws(Failure) -> Void
    ) async throws(Failure) -> Bool {
        let isAdmitted = state.withLock { state in
            guard state.publishing[payment, default: 0] < Self.publishingPerPayment else { return false }
            state.publishing[payment, default: 0] += 1
            return true
        }
        guard isAdmitted else { return false }
        defer {
            state.withLock { state in
                let rest = state.publishing[payment, default: 1] - 1
                state.publishing[payment] = rest > 0 ? rest : nil
            }
        }
        try await body()
        remember(payment, attempt, until: until)
        return true
    }

    private func remember(_ payment: PaymentID, _ attempt: Attempt, until: Timestamp) {
        state.withLock { state in
            if state.new.attempts.count >= capacity {
                state.old = state.new
                state.new = Generation()
            }
            state.new.attempts[attempt] = (payment, until)
            state.new.tickets[payment] = state.tickets(of: payment).union([attempt.ticket])
        }
    }
}
