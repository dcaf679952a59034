import OrchardHTTPTypes

/// Turns the bytes of a connection into requests, one after the other.
///
/// A pure value: the same bytes give the same requests however they are cut. After a refusal it must not be used again.
package struct RequestParser {
    /// A request, and what its head says about the connection.
    package struct Message: Hashable {
        package var request: HTTPRequest
        package var keepsAlive: Bool
        package var isHTTP10: Bool
    }

    package enum Progress: Hashable {
        /// No byte of a request is there.
        case empty
        case partialHead
        case partialBody
        /// The client waits for `100 Continue`; returned once a request.
        case continueExpected
        case complete(Message)
    }

    private enum State {
        /// `line`: where the line begins that is not complete yet; `scanned`: how far was searched; both from `start`.
        case head(line: Int, scanned: Int)
        case length(RequestHead, Int)
        case chunked(RequestHead, ChunkedBody)
    }

    private let limits: HTTPServerLimits
    private var buffer: [UInt8] = []
    /// The first byte of `buffer` that was not used.
    private var start = 0
    private var state = State.head(line: 0, scanned: 0)
    private var skippedEmptyLine = false
    /// Bytes of a chunked body that are decoded.
    private var chunkBytes = 0

    package init(limits: HTTPServerLimits) { self.limits = limits }

    /// Whether there are bytes that belong to no request yet.
    var hasBytes: Bool { start < buffer.count }

    /// Bytes that are kept for requests which are not complete.
    @inline(__always) var heldBytes: Int { buffer.count + chunkBytes }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next step; `.complete` and `.continueExpected` leave the bytes behind them for the next call.
    package mutating func next() throws(InvalidRequest) -> Progress {
        while true {
            switch state {
            case .head(let line, let scanned):
                guard let count = try headCount(line: line, scanned: scanned) else {
                    return hasBytes ? .partialHead : .empty
                }
                let head = try parseHead(start..<start + count - 2)
                consume(count)
                switch head.framing {
                case .none: return complete(head, body: [])
                case .length(let length): state = .length(head, length)
                case .chunked: state = .chunked(head, ChunkedBody(limit: limits.bodyBytes))
                }
                if head.expectsContinue, !hasBytes { return .continueExpected }
            case .length(let head, let length):
                guard buffer.count - start >= length else { return .partialBody }
                return complete(head, body: consumeBody(length))
            case .chunked(let head, var body):
                state = .head(line: 0, scanned: 0)  // lets go of the body, so that growing it does not copy it
                let count = try body.consume(buffer.span.extracting(start...))
                consume(count)
                chunkBytes = body.isComplete ? 0 : body.content.count
                guard body.isComplete else {
                    state = .chunked(head, body)
                    return .partialBody
                }
                return complete(head, body: body.content)
            }
        }
    }

    /// The bytes of the head with the empty line behind it, nil when it has not come yet.
    ///
    /// One empty line before a request is skipped (RFC 9112 §2.2).
    private mutating func headCount(line: Int, scanned: Int) throws(InvalidRequest) -> Int? {
        var line = line
        let count = buffer.count - start
        if scanned == 0, count > 0, !Self.canBegin(buffer[start]) { throw .malformed("this is not an HTTP request") }
        // Not beyond the limit: bytes behind it must not change the refusal, whether they have come or not.
        let end = min(count, limits.headBytes)
        for index in scanned..<max(scanned, end) where buffer[start + index] == ByteClass.lineFeed {
            guard index > line, buffer[start + index - 1] == ByteClass.carriageReturn else {
                throw .malformed("a line is not ended by CRLF")
            }
            if index - 1 > line {
                line = index + 1
            } else if line > 0 {
                return index + 1
            } else {
                guard !skippedEmptyLine else { throw .malformed("two empty lines before a request") }
                skippedEmptyLine = true
                consume(2)
                return try headCount(line: 0, scanned: 0)
            }
        }
        guard count <= limits.headBytes else {
            let status = line > 0 ? HTTPStatus.requestHeaderFieldsTooLarge : .uriTooLong
            throw InvalidRequest(status, "request line and fields may have \(limits.headBytes) bytes")
        }
        state = .head(line: line, scanned: count)
        return nil
    }

    /// What cannot begin a request, such as a TLS handshake, is refused without waiting for a line of it.
    private static func canBegin(_ byte: UInt8) -> Bool { ByteClass.isToken(byte) || byte == ByteClass.carriageReturn }

    private func parseHead(_ lines: Range<Int>) throws(InvalidRequest) -> RequestHead {
        try RequestHeadParser.parse(buffer.span.extracting(lines), limits: limits)
    }

    private mutating func complete(_ head: RequestHead, body: [UInt8]) -> Progress {
        state = .head(line: 0, scanned: 0)
        skippedEmptyLine = false
        let request = HTTPRequest(method: head.method, target: head.target, fields: head.fields, body: body)
        return .complete(
            Message(request: request, keepsAlive: head.keepsAlive, isHTTP10: head.minorVersion == 0))
    }

    /// The next bytes as a body. Where nothing is behind them, the buffer itself becomes the body.
    private mutating func consumeBody(_ length: Int) -> [UInt8] {
        guard buffer.count - start == length else {
            defer { consume(length) }
            return Array(buffer[start..<start + length])
        }
        var body: [UInt8] = []
        swap(&body, &buffer)
        body.removeFirst(start)
        start = 0
        return body
    }

    /// Uses bytes up; an empty buffer is given back, so that a waiting connection holds no memory for it.
    private mutating func consume(_ count: Int) {
        start += count
        if start == buffer.count {
            buffer = []
            start = 0
        }
    }
}
