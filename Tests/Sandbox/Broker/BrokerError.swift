/// Why the embedded broker cannot do what it was asked to.
public struct BrokerError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
