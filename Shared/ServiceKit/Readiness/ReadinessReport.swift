/// What `/readyz` shows: each part of the service and why it is or is not ready.
public struct ReadinessReport: Sendable, Equatable {
    /// One part's word.
    public struct Component: Sendable, Equatable {
        public let isReady: Bool
        /// For a human; never secret.
        public let reason: String
    }

    public let components: [String: Component]

    /// Ready when every part that has spoken is.
    public var isReady: Bool { components.values.allSatisfy(\.isReady) }
}
