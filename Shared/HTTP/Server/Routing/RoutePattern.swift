import OrchardHTTPTypes

/// A path with names for some of its segments: `/v1/orders/{id}/payments/{payment}`.
struct RoutePattern: Hashable, Sendable {
    private enum Segment: Hashable {
        case literal(String)
        case parameter(String)
    }

    let text: String
    /// Whether it is one path: no names and no escapes.
    let isLiteral: Bool
    private let segments: [Segment]

    init(_ text: String) {
        precondition(text.hasPrefix("/"), "a route begins with a slash: \(text)")
        self.text = text
        isLiteral = !text.contains("{") && !text.contains("%")
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.hasPrefix("{") && part.hasSuffix("}")
                ? .parameter(String(part.dropFirst().dropLast())) : .literal(String(part))
        }
    }

    /// The parameters when the decoded segments fit; a parameter is never empty.
    func match(_ path: [String]) -> RouteParameters? {
        guard path.count == segments.count else { return nil }
        var values: [String: String] = [:]
        for (segment, part) in zip(segments, path) {
            switch segment {
            case .literal(let text):
                guard text == part else { return nil }
            case .parameter(let name):
                guard !part.isEmpty else { return nil }
                values[name] = part
            }
        }
        return RouteParameters(values)
    }

    /// The decoded segments of a path; nil when it has a bad escape.
    static func segments(of path: Substring) -> [String]? {
        var segments: [String] = []
        for part in path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let segment = PercentEncoding.decode(part) else { return nil }
            segments.append(segment)
        }
        return segments
    }
}

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
