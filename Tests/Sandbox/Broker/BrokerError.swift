/// Why the embedded broker, or a resource it needs, is not available.
public struct BrokerError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
