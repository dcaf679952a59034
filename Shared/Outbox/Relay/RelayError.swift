/// Why a stream cannot be published.
public struct RelayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was found and what to do.
    public let reason: String
    public var description: String { reason }

    init(_ reason: String) { self.reason = reason }
}
