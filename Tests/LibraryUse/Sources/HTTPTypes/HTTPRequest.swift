/// Stands for swift-http-types, whose module has this name and types of these names.
public struct HTTPRequest: Sendable {
    public let path: String

    public init(path: String) { self.path = path }
}
