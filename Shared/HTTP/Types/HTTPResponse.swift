/// An answer with its whole body. Content-Length, Connection and Date are written by the server.
public struct HTTPResponse: Hashable, Sendable {
    public var status: HTTPStatus
    public var fields: HTTPFields
    public var body: [UInt8]

    public init(status: HTTPStatus, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A JSON document, not to be kept by caches.
    public static func json(_ body: [UInt8], status: HTTPStatus = .ok, fields: HTTPFields = [:]) -> Self {
        var fields = fields
        fields["Content-Type"] = "application/json"
        if fields["Cache-Control"] == nil { fields["Cache-Control"] = "no-store" }
        return Self(status: status, fields: fields, body: body)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> Self {
        Self(status: status, fields: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// An error as RFC 9457 describes it.
    public static func problem(_ problem: Problem) -> Self {
        var fields = problem.fields
        fields["Content-Type"] = "application/problem+json"
        fields["Cache-Control"] = "no-store"
        return Self(status: problem.status, fields: fields, body: problem.json)
    }
}
