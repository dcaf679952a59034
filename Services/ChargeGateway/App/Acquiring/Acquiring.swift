import Acquirers
import Charging
import Contracts
import OrchardServiceKit

/// The connectors, with every exchange counted and measured.
struct Acquiring: Sendable {
    /// The connectors of now: merchants' keys change while the service runs.
    private let directory: @Sendable () -> AcquirerDirectory
    private let watch: ChargeWatch
    private let reach: AcquirerReach

    /// - Parameter readiness: gets a component for each acquirer that answers, or does not.
    init(
        _ directory: @autoclosure @escaping @Sendable () -> AcquirerDirectory, watch: ChargeWatch,
        readiness: Readiness = Readiness()
    ) {
        self.directory = directory
        self.watch = watch
        reach = AcquirerReach(readiness)
    }

    /// The connector of a name, as in a notification's address.
    subscript(name: String) -> (any Acquirer)? { directory()[name] }

    func send(_ charge: Charge, card: CardOpener.OpenedCard, at time: Timestamp) async -> SendOutcome {
        guard let connector = charge.reference.flatMap({ directory()[$0] }) else {
            return .notSent(reason: "no connector has the name of the charge's acquirer")
        }
        return await measured(.send, at: connector.name) {
            await connector.send(charge, card: card.data, at: time)
        } reading: { outcome in
            switch outcome {
            case .notSent: ("notSent", false)
            // A fault of the charge says nothing of the acquirer.
            case .unsendable: ("unsendable", nil)
            case .unknown: ("unknown", false)
            case .answered: ("answered", true)
            }
        }
    }

    func query(_ charge: Charge, at time: Timestamp) async -> QueryOutcome {
        guard let connector = charge.reference.flatMap({ directory()[$0] }) else {
            return .misconfigured(reason: "no connector has the name of the charge's acquirer")
        }
        return await measured(.query, at: connector.name) {
            await connector.query(charge, at: time)
        } reading: { outcome in
            switch outcome {
            case .failed: ("failed", false)
            // A fault of ours says nothing of the acquirer.
            case .misconfigured: ("misconfigured", nil)
            case .answered: ("answered", true)
            }
        }
    }

    private func measured<Outcome>(
        _ kind: NextStep.Kind, at acquirer: String, _ exchange: () async -> Outcome,
        reading: (Outcome) -> (name: String, hasAnswered: Bool?)
    ) async -> Outcome {
        let gauge = watch.inFlight(kind)
        gauge.increment()
        let start = ContinuousClock.now
        let outcome = await exchange()
        gauge.decrement()
        let (name, hasAnswered) = reading(outcome)
        watch.exchanged(kind, name, in: ContinuousClock.now - start)
        if let hasAnswered { reach.note(acquirer, hasAnswered: hasAnswered) }
        return outcome
    }
}
