import Contracts

/// What the driver has to do after a step; it commits the state and the facts before anything else.
public enum Action: Hashable, Sendable {
    /// Into the outbox, in the transaction that writes the state.
    case record(Fact)
    /// Send the charge to its acquirer, for the `attempt`th time; the intent is this step's commit.
    case send(Charge, attempt: Int)
    /// Ask the acquirer for the outcome.
    case query(Charge)
    /// Tell a person.
    case alarm(Alarm)
}
