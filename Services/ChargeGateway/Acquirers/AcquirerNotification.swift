import Charging
import Contracts

/// A verified notification: the key that it names and what it claims.
public struct AcquirerNotification: Hashable, Sendable {
    /// The key, as the answer's `result.reference` has it too.
    public let reference: AcquirerReference
    public let answer: AcquirerAnswer

    public init(reference: AcquirerReference, answer: AcquirerAnswer) {
        self.reference = reference
        self.answer = answer
    }
}
