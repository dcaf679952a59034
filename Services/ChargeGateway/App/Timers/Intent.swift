import Charging
import Contracts
import OrchardServiceKit

/// A request to an acquirer that a step has decided. It is made after the step's commit, never before.
struct Intent: Sendable {
    /// The due order whose slot it holds.
    let due: DueOrder
    /// Those of the step, the request among them.
    let actions: [Action]
    /// When the step was made, by the database's clock.
    let time: Timestamp
    /// The same by this process's clock.
    let begun: ContinuousClock.Instant
    let card: CardDecryptor.DecryptedCardData?
    /// The trace of the command that the payment came with.
    let trace: TraceContext?

    /// Whether it has a request to the acquirer.
    var isRequest: Bool {
        actions.contains {
            switch $0 {
            case .send, .query: true
            case .record, .alarm: false
            }
        }
    }
}
