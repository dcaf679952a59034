import OrchardHTTPTypes
import OrchardServiceKit

/// An answer that HTTP allows to be sent. What only the connection knows (Date, Connection, whether a body is sent) is
/// added when it is written.
struct CheckedResponse: Hashable {
    private let response: HTTPResponse
    private let requestID: RequestID?

    /// Checks an answer.
    ///
    /// - Parameter requestID: the value of `X-Request-Id`, in place of the answer's own.
    /// - Returns: nil when a field's name is no token, or its value has a control character: text from outside could
    ///   else end the head and begin an answer of its own.
    init?(_ response: HTTPResponse, requestID: RequestID? = nil) {
        for field in response.fields {
            guard ByteClass.isToken(field.name), ByteClass.isValue(field.value) else { return nil }
        }
        self.response = response
        self.requestID = requestID
    }

    /// An answer of the server's own, which cannot fail.
    private init(status: HTTPStatus, body: [UInt8]) {
        var fields: HTTPFields = ["Content-Type": "application/problem+json"]
        if status == .serviceUnavailable { fields.append(name: "Retry-After", value: "1") }
        response = HTTPResponse(status: status, fields: fields, body: body)
        requestID = nil
    }

    /// The answer to a request that was refused.
    init(_ refusal: InvalidRequest) { self.init(status: refusal.status, body: refusal.problem.json) }

    /// The answer when a handler failed; it does not say why.
    static let internalError = Self(
        status: .internalServerError, body: Problem(.internalServerError, code: "internal-error").json)

    var status: HTTPStatus { response.status }

    /// The interim answer that asks for the body (RFC 9110 §15.2.1).
    static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// Writes what is sent behind `bytes`.
    ///
    /// - Parameters:
    ///   - connection: the Connection field; nil for the default of the request's version.
    ///   - withoutBody: for the answer to HEAD.
    func write(to bytes: inout [UInt8], date: HTTPDate, connection: StaticString?, withoutBody: Bool) {
        let body = status.forbidsBody ? [] : response.body
        bytes.reserveCapacity(bytes.count + 256 + body.count)
        if status == .ok {
            bytes.append(text: "HTTP/1.1 200 OK\r\n" as StaticString)
        } else {
            bytes.append(text: "HTTP/1.1 " as StaticString)
            bytes.append(decimal: status.code)
            bytes.append(ByteClass.blank)
            bytes.append(text: status.reason)
            bytes.append(text: "\r\n" as StaticString)
        }
        bytes.append(date.line.span)
        if let connection { bytes.append(line: "Connection", "\(connection)") }
        for field in response.fields where !isWrittenByServer(field.name) {
            bytes.append(line: field.name, field.value)
        }
        if let requestID {
            bytes.append(text: "X-Request-Id: " as StaticString)
            requestID.write(to: &bytes)
            bytes.append(text: "\r\n" as StaticString)
        }
        if !status.forbidsBody {
            bytes.append(text: "Content-Length: " as StaticString)
            bytes.append(decimal: body.count)
            bytes.append(text: "\r\n" as StaticString)
        }
        bytes.append(text: "\r\n" as StaticString)
        if !withoutBody { bytes.append(body.span) }
    }

    private func isWrittenByServer(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringCase("Date")
        case 10: name.equalsIgnoringCase("Connection")
        case 12: requestID != nil && name.equalsIgnoringCase("X-Request-Id")
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) {
        var text = text
        text.withUTF8 { append(contentsOf: $0) }
    }

    fileprivate mutating func append(text: StaticString) { text.withUTF8Buffer { append(contentsOf: $0) } }

    fileprivate mutating func append(_ bytes: Span<UInt8>) { bytes.withUnsafeBufferPointer { append(contentsOf: $0) } }

    fileprivate mutating func append(line name: String, _ value: String) {
        append(text: name)
        append(UInt8(ascii: ":"))
        append(ByteClass.blank)
        append(text: value)
        append(ByteClass.carriageReturn)
        append(ByteClass.lineFeed)
    }

    /// Writes a number that is not negative.
    fileprivate mutating func append(decimal number: Int) {
        if number >= 10 { append(decimal: number / 10) }
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
