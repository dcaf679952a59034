import OrchardServiceKit

extension KafkaError: TransientError {
    /// The same as ``isRetriable``.
    public var isTransient: Bool { isRetriable }
}
