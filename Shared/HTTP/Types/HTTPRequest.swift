/// A request with its whole body.
public struct HTTPRequest: Hashable, Sendable {
    public var method: HTTPMethod
    /// The target in origin form, as it stands in the request line: path and query, still percent-encoded.
    public var target: String
    public var fields: HTTPFields
    public var body: [UInt8]

    public init(method: HTTPMethod, target: String, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    /// The target up to the question mark, still percent-encoded.
    public var path: Substring { Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") }) }

    /// The pairs of the query, decoded like a form; nil when they cannot be decoded, empty when there is no query.
    public var query: [(name: String, value: String)]? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return FormEncoding.decode(target[target.index(after: mark)...])
    }

    /// The first value of the query of this name.
    public func queryValue(_ name: String) -> String? {
        query?.first { $0.name == name }?.value
    }

    /// The credentials of `Authorization: Bearer …` (RFC 6750 §2.1); nil when the field is missing or of another kind.
    public var bearerToken: Substring? {
        let values = fields.values("Authorization")
        guard values.count == 1, let value = values.first else { return nil }
        let parts = value.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, String(Substring(parts[0])).equalsIgnoringCase("Bearer") else { return nil }
        return Substring(parts[1])
    }

    /// Refuses a body of another kind than the one named, with 415.
    ///
    /// - Parameter mediaType: lower-case type and subtype, for example `application/json`; parameters are ignored.
    /// - Throws: a ``Problem`` with status 415.
    public func requireContentType(_ mediaType: String) throws(Problem) {
        let field = fields["Content-Type"] ?? ""
        let given = Substring(field.utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks()
        guard given.equalsIgnoringCase(mediaType) else {
            throw Problem(
                .unsupportedMediaType, code: "unsupported-media-type", detail: "send the body as \(mediaType)")
        }
    }
}

/// A request method (RFC 9110 §9); case-sensitive, open for methods not named here.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The method as it stands in the request line.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let get = Self(rawValue: "GET")
    public static let head = Self(rawValue: "HEAD")
    public static let post = Self(rawValue: "POST")
    public static let put = Self(rawValue: "PUT")
    public static let patch = Self(rawValue: "PATCH")
    public static let delete = Self(rawValue: "DELETE")
    public static let options = Self(rawValue: "OPTIONS")

    public var description: String { rawValue }
}
