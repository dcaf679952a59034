/// A text that must stay secret: printing or dumping it shows only whether it is set.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself.
    public let value: String

    public init(_ value: String) {
        self.value = value
    }

    public var description: String { value.isEmpty ? "not set" : "[secret]" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
