import Charging
import Contracts
import OrchardServiceKit

/// The circuit breakers of all accounts, in memory, and their reports.
final class CircuitBreakers: Sendable {
    private struct Account: Hashable {
        let acquirer: String
        let account: String
    }

    private let policy: CircuitBreakerPolicy
    private let telemetry: ChargeTelemetry
    private let readiness: Readiness
    private let breakers = Locked<[Account: CircuitBreaker]>([:])

    /// - Parameter readiness: gets a component for each account whose breaker has opened.
    init(policy: CircuitBreakerPolicy = CircuitBreakerPolicy(), telemetry: ChargeTelemetry, readiness: Readiness) {
        self.policy = policy
        self.telemetry = telemetry
        self.readiness = readiness
    }

    /// Whether a charge may be sent under this key now; asked in the intent's transaction, before the machine commits it.
    func permission(for reference: AcquirerReference, at time: Timestamp) -> CircuitBreaker.Permission {
        change(reference) { $0.permission(at: time) }
    }

    /// Handles the outcome of a send.
    func record(_ outcome: SendOutcome, of reference: AcquirerReference, at time: Timestamp) {
        change(reference) { $0.receive(outcome, at: time) }
    }

    private func change<Value>(_ reference: AcquirerReference, _ body: (inout CircuitBreaker) -> Value) -> Value {
        let account = Account(acquirer: reference.acquirer, account: reference.account)
        return breakers.withLock { all in
            var breaker = all[account] ?? CircuitBreaker(policy: policy)
            let before = breaker.fault
            defer {
                // Under the lock, so that the last state is what is told last.
                if all[account] == nil || before != breaker.fault { report(breaker.fault, of: account, before) }
                all[account] = breaker
            }
            return body(&breaker)
        }
    }

    private func report(_ fault: SendFault?, of account: Account, _ before: SendFault?) {
        telemetry.circuit(account.acquirer, account.account).set(fault == nil ? 0 : 1)
        guard fault != nil || before != nil else { return }
        readiness.set(
            "sends to \(account.acquirer), account \(account.account)", ready: fault == nil,
            reason: fault.map { "\($0.advice); payments wait, one at a time is tried" } ?? "succeed again")
    }
}

extension SendFault {
    /// What is wrong, and what to do.
    fileprivate var advice: String {
        switch self {
        case .unreachable:
            "no connection to the acquirer; check its address in the configuration, DNS and the firewall"
        case .tls:
            "the TLS handshake with the acquirer fails; check its address and the certificates that are trusted for it"
        case .signatureRefused:
            "the acquirer refuses the account's signature; check its signing key and certificate in merchants.json"
        }
    }
}
