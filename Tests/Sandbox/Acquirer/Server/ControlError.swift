/// A wrong control request.
public struct ControlError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { reason }
}
