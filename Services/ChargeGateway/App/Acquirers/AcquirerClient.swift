import Acquirers
import Charging
import Contracts
import OrchardServiceKit

/// Sends and queries through the connectors; counts and measures each exchange.
struct AcquirerClient: Sendable {
    /// The current connectors: merchants' keys change while the service runs.
    private let directory: @Sendable () -> AcquirerDirectory
    private let telemetry: ChargeTelemetry
    private let health: AcquirerHealth

    /// - Parameter readiness: gets a component for each acquirer that answers, or does not.
    init(
        _ directory: @autoclosure @escaping @Sendable () -> AcquirerDirectory, telemetry: ChargeTelemetry,
        readiness: Readiness = Readiness()
    ) {
        self.directory = directory
        self.telemetry = telemetry
        health = AcquirerHealth(readiness)
    }

    /// The connector of a name, as in a notification's address.
    subscript(name: String) -> (any Acquirer)? { directory()[name] }

    func send(_ charge: Charge, card: CardDecryptor.DecryptedCardData, at time: Timestamp) async -> SendOutcome {
        guard let connector = charge.reference.flatMap({ directory()[$0] }) else {
            return .notSent(reason: "no connector has the name of the charge's acquirer")
        }
        guard connector.chargesShares || !card.data.has(.authenticationResponses) else {
            return .unsendable(
                reason: "the customer pays several merchants with this token, and \(connector.name) charges one")
        }
        return await measured(.send, at: connector.name) {
            await connector.send(charge, card: card.data, at: time)
        } reading: { outcome in
            outcome.exchange
        }
    }

    func send(_ followUp: FollowUp, at time: Timestamp) async -> SendOutcome {
        guard let connector = directory()[followUp.reference] else {
            return .notSent(reason: "no connector has the name of the operation's acquirer")
        }
        return await measured(.send, at: connector.name) {
            await connector.send(followUp, at: time)
        } reading: { outcome in
            outcome.exchange
        }
    }

    func query(_ subject: Subject, at time: Timestamp) async -> QueryOutcome {
        guard let connector = subject.reference.flatMap({ directory()[$0] }) else {
            return .misconfigured(reason: "no connector has the name of the operation's acquirer")
        }
        return await measured(.query, at: connector.name) {
            switch subject {
            case .charge(let charge): await connector.query(charge, at: time)
            case .followUp(let followUp): await connector.query(followUp, at: time)
            }
        } reading: { outcome in
            switch outcome {
            case .failed: .failed
            case .misconfigured: .misconfigured
            case .answered: .answered
            }
        }
    }

    private func measured<Outcome>(
        _ kind: NextStep.Kind, at acquirer: String, _ exchange: () async -> Outcome,
        reading: (Outcome) -> ExchangeOutcome
    ) async -> Outcome {
        let gauge = telemetry.inFlight(kind)
        gauge.increment()
        let start = ContinuousClock.now
        let outcome = await exchange()
        gauge.decrement()
        let end = reading(outcome)
        telemetry.exchanged(kind, end, in: ContinuousClock.now - start)
        if let hasAnswered = end.hasAnswered { health.record(acquirer, hasAnswered: hasAnswered) }
        return outcome
    }
}

extension SendOutcome {
    /// As the metrics name it.
    fileprivate var exchange: ExchangeOutcome {
        switch self {
        case .notSent: .notSent
        case .unsendable: .unsendable
        case .unknown: .unknown
        case .answered: .answered
        }
    }
}
