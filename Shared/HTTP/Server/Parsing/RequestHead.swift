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
    static func isValid(_ value: String) -> Bool {
        let bytes = value.utf8
        guard bytes.first == UInt8(ascii: "[") else {
            let host = bytes.prefix { $0 != UInt8(ascii: ":") }
            return !host.isEmpty && host.allSatisfy(ByteClass.isHost) && isPort(bytes[host.endIndex...])
        }
        guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
        let address = bytes[..<end].dropFirst()
        return address.count >= 2
            && address.allSatisfy { ByteClass.isHost($0) || $0 == UInt8(ascii: ":") }
            && isPort(bytes[bytes.index(after: end)...])
    }

    private static func isPort(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        return first == UInt8(ascii: ":") && bytes.count <= 6 && bytes.dropFirst().allSatisfy(ByteClass.isDigit)
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
