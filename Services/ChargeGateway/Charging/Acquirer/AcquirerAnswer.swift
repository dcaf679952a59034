import Contracts

/// A verified statement of the acquirer about one key: the answer to a send or a query, or a notification.
public struct AcquirerAnswer: Hashable, Sendable {
    public let verdict: Verdict
    public let result: AcquirerResult
    public let echoed: EchoedFields
    /// Why every request of the account would be answered so; nil when the answer is about this charge.
    public let fault: SendFault?

    public init(
        _ verdict: Verdict, result: AcquirerResult, echoed: EchoedFields = EchoedFields(), fault: SendFault? = nil
    ) {
        self.verdict = verdict
        self.result = result
        self.echoed = echoed
        self.fault = fault
    }
}
