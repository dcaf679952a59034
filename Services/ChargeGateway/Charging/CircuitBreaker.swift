import Contracts

/// Holds sends to an account back while none can succeed. It is checked before the intent and gets every outcome.
///
/// Closed, it allows every send. Open, it allows none for a while, then one at a time until one succeeds. One for each
/// account; a value without a clock.
public struct CircuitBreaker: Hashable, Sendable {
    /// Where it stands.
    public enum State: Hashable, Sendable {
        case closed
        /// No send before `until`.
        case open(SendFault, until: Timestamp)
        /// One send is on its way to find out. Another one may be tried at `until`, should nobody hear of this one.
        case halfOpen(SendFault, until: Timestamp)
    }

    /// Whether a send may go out.
    public enum Permission: Hashable, Sendable {
        case send
        /// Ask again then.
        case wait(until: Timestamp)
    }

    public private(set) var state = State.closed
    private let policy: CircuitBreakerPolicy
    /// Sends since the last answer that found no connection.
    private var failures = 0
    /// How often it opened since a send succeeded.
    private var openings = 0

    public init(policy: CircuitBreakerPolicy = CircuitBreakerPolicy()) {
        self.policy = policy
    }

    /// Why it is not closed; nil when it is.
    public var fault: SendFault? {
        switch state {
        case .closed: nil
        case .open(let fault, _), .halfOpen(let fault, _): fault
        }
    }

    /// Whether a charge may be sent now. The send that is allowed first when the wait is over is the probe.
    public mutating func permission(at time: Timestamp) -> Permission {
        switch state {
        case .closed: return .send
        case .open(_, let until) where time < until: return .wait(until: until)
        case .halfOpen(_, let until) where time < until:
            return .wait(until: min(until, time + policy.probeCheck))
        case .open(let fault, _), .halfOpen(let fault, _):
            state = .halfOpen(fault, until: time + policy.probeTime)
            return .send
        }
    }

    /// Handles the outcome of a send.
    public mutating func receive(_ outcome: SendOutcome, at time: Timestamp) {
        if let fault = outcome.fault { return fail(fault, at: time) }
        switch (outcome, state) {
        case (.answered, _): close()
        // The connection was made; whether the signature is accepted, nobody heard.
        case (.unknown, .halfOpen(.signatureRefused, _)): state = .open(.signatureRefused, until: time + wait)
        case (.unknown, .halfOpen): close()
        // It says nothing of the account: another send may find out.
        case (.notSent, .halfOpen(let fault, _)), (.unsendable, .halfOpen(let fault, _)):
            state = .open(fault, until: time)
        case (.unknown, _), (.notSent, _), (.unsendable, _): break
        }
    }

    private mutating func fail(_ fault: SendFault, at time: Timestamp) {
        switch state {
        // Sent before it opened: nothing new.
        case .open: return
        case .halfOpen: break
        case .closed:
            failures += 1
            guard fault == .signatureRefused || failures >= policy.failures else { return }
        }
        openings += 1
        state = .open(fault, until: time + wait)
    }

    private mutating func close() {
        state = .closed
        failures = 0
        openings = 0
    }

    private var wait: Duration { ChargingPolicy.backOff(policy.waits, openings) }
}

/// When a circuit breaker opens, and how it tries again.
public struct CircuitBreakerPolicy: Hashable, Sendable {
    /// So many sends since the last answer must find no connection; a refused signature opens at once, because each
    /// further one would decline a customer.
    public var failures = 3
    /// The wait before a probe, longer each time that one fails; the last one repeats.
    public var waits: [Duration] = [1, 2, 4, 8, 15, 30].map { .seconds($0) }
    /// How long a probe of which nobody hears keeps others waiting.
    public var probeTime: Duration = .seconds(30)
    /// How soon to ask again while a probe is on its way.
    public var probeCheck: Duration = .seconds(2)

    public init() {}
}
