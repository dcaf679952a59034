import OrchardHTTPTypes

/// The decoded parts of the path that the `{names}` of a route's pattern stand for.
public struct RouteParameters: Sendable, Hashable {
    private var values: [String: String]

    /// Parameters by name, for calling a handler directly.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// The value of a parameter; nil when the pattern has no such name.
    public subscript(name: String) -> String? { values[name] }

    /// The value of a parameter as a type that is made from text, for example an identifier.
    ///
    /// - Throws: a ``Problem`` with status 404, because a path that cannot be read names nothing.
    public func require<Value>(_ name: String, as make: (String) -> Value?) throws(Problem) -> Value {
        guard let text = values[name], let value = make(text) else {
            throw Problem(.notFound, code: "not-found", detail: "the path has no valid \(name)")
        }
        return value
    }
}
