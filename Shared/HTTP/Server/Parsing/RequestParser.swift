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
        case head(HeadSearch)
        case length(RequestHead, Int)
        case chunked(RequestHead, ChunkedBody)
    }

    /// How far the end of a head was searched, from its first byte.
    private struct HeadSearch: Equatable {
        /// Where the line begins that is not complete yet.
        var line = 0
        var scanned = 0
    }

    private let limits: HTTPServerLimits
    private var buffer: [UInt8] = []
    /// The first byte of `buffer` that was not used.
    private var start = 0
    private var state = State.head(HeadSearch())
    private var skippedEmptyLine = false
    /// Bytes of a chunked body that are decoded.
    private var chunkBytes = 0
    /// Bytes of the texts and the body of the last request.
    private(set) var requestBytes = 0

    package init(limits: HTTPServerLimits) { self.limits = limits }

    /// Whether there are bytes that belong to no request yet.
    var hasBytes: Bool { start < buffer.count }

    /// Bytes that are kept for requests which are not complete, those of a head that was read among them.
    var heldBytes: Int {
        if case .head = state { buffer.count } else { requestBytes + buffer.count + chunkBytes }
    }

    /// Takes bytes that came in, and does the next step.
    ///
    /// A request that comes in one piece is read where it lies: only its texts and its body are copied.
    package mutating func receive(_ bytes: Span<UInt8>) throws(InvalidRequest) -> Progress {
        guard buffer.isEmpty, !skippedEmptyLine, bytes.count > 0, ByteClass.isToken(bytes[0]),
            case .head(var search) = state, search == HeadSearch()
        else {
            append(bytes)
            return try next()
        }
        guard let count = try Self.headCount(bytes, &search, limit: limits.headBytes) else {
            append(bytes)
            state = .head(search)
            return .partialHead
        }
        let head = try RequestHeadParser.parse(bytes.extracting(..<(count - 2)), limits: limits)
        requestBytes = count
        switch head.framing {
        case .none:
            append(bytes.extracting(count...))
            return complete(head, body: [])
        case .length(let length):
            if bytes.count - count >= length {
                append(bytes.extracting((count + length)...))
                return complete(head, body: bytes.copy(count..<count + length))
            }
            state = .length(head, length)
        case .chunked: state = .chunked(head, ChunkedBody(limit: limits.bodyBytes))
        }
        append(bytes.extracting(count...))
        return head.expectsContinue && !hasBytes ? .continueExpected : try next()
    }

    package mutating func append(_ bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return }
        if start > 0 {
            buffer.removeFirst(start)
            start = 0
        }
        bytes.withUnsafeBufferPointer { buffer.append(contentsOf: $0) }
    }

    /// The next step; `.complete` and `.continueExpected` leave the bytes behind them for the next call.
    package mutating func next() throws(InvalidRequest) -> Progress {
        while true {
            switch state {
            case .head(var search):
                guard let count = try headCount(&search) else { return hasBytes ? .partialHead : .empty }
                let head = try RequestHeadParser.parse(
                    buffer.span.extracting(start..<start + count - 2), limits: limits)
                requestBytes = count
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
                state = .head(HeadSearch())  // lets go of the body, so that growing it does not copy it
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
    private mutating func headCount(_ search: inout HeadSearch) throws(InvalidRequest) -> Int? {
        while true {
            if search.scanned == 0, hasBytes, !Self.canBegin(buffer[start]) {
                throw .malformed("this is not an HTTP request")
            }
            let end = try Self.headCount(buffer.span.extracting(start...), &search, limit: limits.headBytes)
            guard let count = end else {
                state = .head(search)
                return nil
            }
            guard count == 2 else { return count }
            guard !skippedEmptyLine else { throw .malformed("two empty lines before a request") }
            skippedEmptyLine = true
            consume(count)
            search = HeadSearch()
        }
    }

    /// The bytes up to the first empty line, that included; nil when it has not come yet.
    private static func headCount(
        _ bytes: Span<UInt8>, _ search: inout HeadSearch, limit: Int
    ) throws(InvalidRequest) -> Int? {
        // Not beyond the limit: bytes behind it must not change the refusal, whether they have come or not.
        let end = min(bytes.count, limit)
        while search.scanned < end,
            let index = bytes.firstIndex(of: ByteClass.lineFeed, in: search.scanned..<end)
        {
            guard index > search.line, bytes[index - 1] == ByteClass.carriageReturn else {
                throw .malformed("a line is not ended by CRLF")
            }
            if index - 1 == search.line { return index + 1 }
            search.line = index + 1
            search.scanned = index + 1
        }
        guard bytes.count <= limit else {
            let status = search.line > 0 ? HTTPStatus.requestHeaderFieldsTooLarge : .uriTooLong
            throw InvalidRequest(status, "request line and fields may have \(limit) bytes")
        }
        search.scanned = bytes.count
        return nil
    }

    /// What cannot begin a request, such as a TLS handshake, is refused without waiting for a line of it.
    private static func canBegin(_ byte: UInt8) -> Bool { ByteClass.isToken(byte) || byte == ByteClass.carriageReturn }

    private mutating func complete(_ head: consuming RequestHead, body: consuming [UInt8]) -> Progress {
        state = .head(HeadSearch())
        skippedEmptyLine = false
        requestBytes += body.count
        return .complete(
            Message(
                request: HTTPRequest(method: head.method, target: head.target, fields: head.fields, body: body),
                keepsAlive: head.keepsAlive, isHTTP10: head.minorVersion == 0))
    }

    /// The next bytes as a body. Where nothing is behind them, the buffer itself becomes the body.
    private mutating func consumeBody(_ length: Int) -> [UInt8] {
        guard buffer.count - start == length else {
            defer { consume(length) }
            return Array(buffer[start..<start + length])
        }
        var body: [UInt8] = []
        swap(&body, &buffer)
        if start > 0 { body.removeFirst(start) }
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
