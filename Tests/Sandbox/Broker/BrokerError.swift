/// Why the embedded broker, or what it needs of the machine, is not to be had.
public struct BrokerError: Error, Sendable, CustomStringConvertible {
    /// What happened and what to do.
    public let reason: String

    public init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
