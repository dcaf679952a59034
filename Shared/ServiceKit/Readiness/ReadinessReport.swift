/// What `/readyz` shows: each part of the service and why it is or is not ready.
public struct ReadinessReport: Sendable, Equatable {
    /// The state of one part.
    public struct Component: Sendable, Equatable {
        public let isReady: Bool
        /// For an operator; never secret.
        public let reason: String
    }

    public let components: [String: Component]

    /// Ready when every part that has reported is ready.
    public var isReady: Bool { components.values.allSatisfy(\.isReady) }
}
