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
