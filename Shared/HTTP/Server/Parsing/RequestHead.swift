import OrchardHTTPTypes
import OrchardJSON

/// The request line and the fields.
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

/// The value of a Host field: `uri-host [ ":" port ]` (RFC 9112 §3.2, RFC 3986 §3.2.2).
enum HostField {
    static func isValid(_ value: String) -> Bool { isValid(value.utf8.span) }

    static func isValid(_ value: Span<UInt8>) -> Bool {
        var end = 0
        if value.count > 0, value[0] == UInt8(ascii: "[") {
            end = 1
            while end < value.count, ByteClass.isHost(value[end]) || value[end] == UInt8(ascii: ":") { end += 1 }
            guard end >= 3, end < value.count, value[end] == UInt8(ascii: "]") else { return false }
            end += 1
        } else {
            while end < value.count, ByteClass.isHost(value[end]) { end += 1 }
            guard end > 0 else { return false }
        }
        return isPort(value, from: end)
    }

    /// Nothing, or a colon and up to five digits.
    private static func isPort(_ value: Span<UInt8>, from start: Int) -> Bool {
        guard start < value.count else { return true }
        guard value[start] == UInt8(ascii: ":"), value.count - start <= 6 else { return false }
        for index in start + 1..<value.count where !ByteClass.isDigit(value[index]) { return false }
        return true
    }
}

/// Why a request is refused. The connection is closed after the answer, because what follows cannot be trusted.
package struct InvalidRequest: Error, Hashable {
    package let status: HTTPStatus
    package let reason: String

    init(_ status: HTTPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func malformed(_ reason: String) -> Self { Self(.badRequest, reason) }

    /// There is no memory for the request now.
    static let noMemory = Self(
        .serviceUnavailable, "too many requests are coming in; nothing was taken, repeat the request in a moment")

    /// The field of a body that is too large is the whole body.
    var problem: Problem {
        Problem(
            status, code: "request-refused", detail: reason, members: status == .contentTooLarge ? ["field": ""] : [:])
    }
}
