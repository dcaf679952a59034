import Contracts

/// What an operation does next by itself.
public struct NextStep: Hashable, Sendable {
    /// What it is about.
    public enum Kind: String, Sendable, CaseIterable {
        case send, query
    }

    public let kind: Kind
    public let time: Timestamp

    public init(_ kind: Kind, at time: Timestamp) {
        self.kind = kind
        self.time = time
    }
}
