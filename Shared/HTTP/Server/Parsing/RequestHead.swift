import OrchardHTTPTypes

/// What the request line and the fields say.
struct RequestHead: Hashable {
    /// How the end of the body is found (RFC 9112 §6.3).
    enum Framing: Hashable {
        case none
        case length(Int)
        case chunked
    }

    var method: HTTPMethod
    var target: String
    /// The 0 or 1 of `HTTP/1.x`.
    var minorVersion: UInt8
    var fields: HTTPFields
    var framing: Framing
    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue: Bool
    /// Whether the client allows another request on the connection.
    var keepsAlive: Bool
}
