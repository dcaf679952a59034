import OrchardHTTPTypes
import OrchardJSON

/// Checks an answer, line by line; a pure value.
///
/// libcurl reports success also for a head that the end of the connection has cut. So an answer counts only when the
/// empty line behind its final head was seen, and its body was framed and came in full.
struct AnswerReader {
    private let maximumHead: Int
    private let maximumBody: Int
    private let isHead: Bool

    private var headBytes = 0
    private var status: HTTPStatus?
    private var fields = HTTPFields()
    private var isHeadComplete = false
    private var body: [UInt8] = []
    /// Why nothing more is read.
    private(set) var flaw: HTTPFailure?

    /// - Parameter isHead: whether the request was a HEAD, whose answer has no body.
    init(maximumHead: Int, maximumBody: Int, isHead: Bool) {
        self.maximumHead = maximumHead
        self.maximumBody = maximumBody
        self.isHead = isHead
    }

    /// A line of a head, with its end.
    ///
    /// - Returns: whether to go on; else ``flaw`` says why not.
    mutating func receive(line: some Collection<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= maximumHead else {
            return refuse(.answerTooLarge, "the answer's head has more than \(maximumHead) bytes")
        }
        if isHeadComplete { return true }  // trailers mean nothing here
        guard let text = String(outside: line), text.hasSuffix("\r\n") else {
            return refuse(.malformedAnswer, "a line of the answer's head is not UTF-8 ended by CRLF")
        }
        let content = text.utf8.dropLast(2)
        if content.isEmpty { return finishHead() }
        return status == nil ? readStatus(Substring(content)) : readField(Substring(content))
    }

    /// A part of the body.
    mutating func receive(body part: some Collection<UInt8>) -> Bool {
        guard isHeadComplete else { return refuse(.malformedAnswer, "a body without a head") }
        guard part.count <= maximumBody - body.count else {
            return refuse(.answerTooLarge, "the answer's body has more than \(maximumBody) bytes")
        }
        body += part
        return true
    }

    /// The answer, once nothing more comes and the transport saw no error.
    func finish() throws(HTTPFailure) -> HTTPAnswer {
        if let flaw { throw flaw }
        guard isHeadComplete, let status else {
            throw HTTPFailure(.connectionLost, "the connection ended before the answer's head was complete")
        }
        let answer = HTTPResponse(status: status, fields: fields, body: body)
        let lengths = fields.values("Content-Length")
        let codings = fields.values("Transfer-Encoding")
        if isHead || status.forbidsBody { return HTTPAnswer(response: answer) }
        if !codings.isEmpty {
            guard lengths.isEmpty, codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
                throw HTTPFailure(.malformedAnswer, "the answer's framing is ambiguous or unknown")
            }
            return HTTPAnswer(response: answer)
        }
        guard let length = lengths.first else { return HTTPAnswer(response: answer, isCloseDelimited: true) }
        guard lengths.count == 1, 1...12 ~= length.utf8.count, length.utf8.allSatisfy({ 48...57 ~= $0 }) else {
            throw HTTPFailure(.malformedAnswer, "the answer's Content-Length is not one number")
        }
        guard Int(length) == body.count else {
            throw HTTPFailure(.connectionLost, "the body has \(body.count) of \(length) bytes")
        }
        return HTTPAnswer(response: answer)
    }

    private mutating func readStatus(_ line: Substring) -> Bool {
        let digits = line.dropFirst(9).prefix(3)
        guard line.hasPrefix("HTTP/1.1 ") || line.hasPrefix("HTTP/1.0 "), digits.utf8.count == 3,
            digits.utf8.allSatisfy({ 48...57 ~= $0 }), let code = Int(digits), 100...599 ~= code, code != 101,
            line.utf8.count == 12 || line.utf8.dropFirst(12).first == UInt8(ascii: " ")
        else { return refuse(.malformedAnswer, "the answer's status line is not one of HTTP/1.1") }
        status = HTTPStatus(code: code)
        return true
    }

    private mutating func readField(_ line: Substring) -> Bool {
        // Bytes: characters cost a hundred times as much.
        let bytes = line.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            !bytes[..<colon].contains(where: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }),
            !bytes.contains(0)
        else { return refuse(.malformedAnswer, "a field of the answer is not a name, a colon and a value") }
        fields.append(
            name: String(line[..<colon]), value: line[bytes.index(after: colon)...].trimmingBlanks())
        return true
    }

    /// The empty line: the end of the answer's head, or of an interim one that the final head follows.
    private mutating func finishHead() -> Bool {
        guard let status else { return refuse(.malformedAnswer, "an empty line instead of a status line") }
        if status.code < 200 {
            self.status = nil
            fields = HTTPFields()
        } else {
            isHeadComplete = true
        }
        return true
    }

    private mutating func refuse(_ code: HTTPFailure.Code, _ reason: String) -> Bool {
        if flaw == nil { flaw = HTTPFailure(code, reason) }
        return false
    }
}
