import OrchardHTTPTypes

/// An answer as bytes, all but what only the connection knows (Date, Connection, whether a body is sent).
struct EncodedResponse: Hashable {
    let status: HTTPStatus
    private let fields: [UInt8]
    private let body: [UInt8]

    /// Encodes an answer.
    ///
    /// - Parameter requestID: the value of `X-Request-Id`, in place of the answer's own; a token.
    /// - Returns: nil when a field's name is no token, or its value has a control character: text from outside could
    ///   else end the head and begin an answer of its own.
    init?(_ response: HTTPResponse, requestID: String? = nil) {
        var fields: [UInt8] = []
        fields.reserveCapacity(256)
        for field in response.fields where !Self.isWrittenByServer(field.name, requestID != nil) {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(ByteClass.isToken),
                field.value.utf8.allSatisfy(ByteClass.isValue)
            else { return nil }
            fields.append(line: field.name, field.value)
        }
        if let requestID { fields.append(line: "X-Request-Id", requestID) }
        status = response.status
        if !status.forbidsBody { fields.append(line: "Content-Length", String(response.body.count)) }
        self.fields = fields
        body = status.forbidsBody ? [] : response.body
    }

    /// An answer without fields of its own, which cannot fail.
    private init(status: HTTPStatus, body: [UInt8], type: StaticString) {
        var fields: [UInt8] = []
        fields.append(line: "Content-Type", "\(type)")
        fields.append(line: "Content-Length", String(body.count))
        if status == .serviceUnavailable { fields.append(line: "Retry-After", "1") }
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// The answer to a request that was refused.
    init(_ refusal: InvalidRequest) {
        self.init(status: refusal.status, body: refusal.problem.json, type: "application/problem+json")
    }

    /// The answer when a handler failed; it does not say why.
    static let internalError = Self(
        status: .internalServerError, body: Problem(.internalServerError, code: "internal-error").json,
        type: "application/problem+json")

    /// The interim answer that asks for the body (RFC 9110 §15.2.1).
    static let continueBytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// What is sent.
    ///
    /// - Parameters:
    ///   - connection: the Connection field; nil for the default of the request's version.
    ///   - withoutBody: for the answer to HEAD.
    func bytes(date: HTTPDate, connection: StaticString?, withoutBody: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(128 + fields.count + body.count)
        bytes.append(text: "HTTP/1.1 ")
        bytes.append(text: String(status.code))
        bytes.append(ByteClass.blank)
        bytes.append(text: status.reason)
        bytes.append(text: "\r\n")
        bytes.append(line: "Date", date.description)
        if let connection { bytes.append(line: "Connection", "\(connection)") }
        bytes += fields
        bytes.append(text: "\r\n")
        if !withoutBody { bytes += body }
        return bytes
    }

    private static func isWrittenByServer(_ name: String, _ hasRequestID: Bool) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringCase("Date")
        case 10: name.equalsIgnoringCase("Connection")
        case 12: hasRequestID && name.equalsIgnoringCase("X-Request-Id")
        case 14: name.equalsIgnoringCase("Content-Length")
        case 17: name.equalsIgnoringCase("Transfer-Encoding")
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

    fileprivate mutating func append(line name: String, _ value: String) {
        append(contentsOf: name.utf8)
        append(UInt8(ascii: ":"))
        append(ByteClass.blank)
        append(contentsOf: value.utf8)
        append(ByteClass.carriageReturn)
        append(ByteClass.lineFeed)
    }
}
