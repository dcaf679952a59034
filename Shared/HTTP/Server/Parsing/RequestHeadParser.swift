import OrchardHTTPTypes
import OrchardJSON

/// Reads a request's head by RFC 9112, and refuses whatever two readers could read differently.
///
/// Stricter than the RFC in this: no absolute-form target, no transfer coding beside `chunked`, field values are UTF-8,
/// a repeated Content-Length is refused even when equal.
struct RequestHeadParser {
    private let limits: HTTPServerLimits

    private var hasHost = false
    private var length: Int?
    private var isChunked = false
    private var expectsContinue = false
    private var closes = false
    private var staysOpen = false

    private init(limits: HTTPServerLimits) { self.limits = limits }

    /// Parses the lines of a head.
    ///
    /// - Parameter bytes: from the first byte of the request line to the CRLF before the empty line, that included;
    ///   each LF has its CR before it.
    static func parse(_ bytes: Span<UInt8>, limits: HTTPServerLimits) throws(InvalidRequest) -> RequestHead {
        var parser = Self(limits: limits)
        var line = nextLine(in: bytes, from: 0)
        let (method, target, minorVersion) = try parser.requestLine(bytes, line)
        var fields: [HTTPFields.Field] = []
        fields.reserveCapacity(8)
        while line.upperBound + 2 < bytes.count {
            line = nextLine(in: bytes, from: line.upperBound + 2)
            guard fields.count < limits.fieldCount else {
                throw InvalidRequest(.requestHeaderFieldsTooLarge, "more than \(limits.fieldCount) fields")
            }
            fields.append(try parser.field(bytes, line, minorVersion: minorVersion))
        }
        return try parser.finish(method, target, minorVersion, HTTPFields(fields))
    }

    private static func nextLine(in bytes: Span<UInt8>, from start: Int) -> Range<Int> {
        let end = bytes.firstIndex(of: ByteClass.lineFeed, in: start..<bytes.count) ?? bytes.count
        return start..<end - 1
    }

    private func finish(
        _ method: HTTPMethod, _ target: String, _ minorVersion: UInt8, _ fields: HTTPFields
    ) throws(InvalidRequest) -> RequestHead {
        if minorVersion == 1, !hasHost { throw .malformed("an HTTP/1.1 request needs a Host field") }
        if isChunked, length != nil { throw .malformed("Content-Length and Transfer-Encoding together") }
        if let length, length > limits.bodyBytes {
            throw InvalidRequest(.contentTooLarge, "the body may have \(limits.bodyBytes) bytes")
        }
        let framing: RequestHead.Framing = isChunked ? .chunked : length.map { $0 == 0 ? .none : .length($0) } ?? .none
        return RequestHead(
            method: method, target: target, minorVersion: minorVersion, fields: fields, framing: framing,
            expectsContinue: expectsContinue && minorVersion == 1 && framing != .none,
            keepsAlive: !closes && (minorVersion == 1 || staysOpen))
    }
}

// MARK: - Request line

extension RequestHeadParser {
    private func requestLine(
        _ bytes: Span<UInt8>, _ line: Range<Int>
    ) throws(InvalidRequest) -> (HTTPMethod, String, UInt8) {
        var end = line.lowerBound
        while end < line.upperBound, ByteClass.isToken(bytes[end]) { end += 1 }
        guard end > line.lowerBound, end < line.upperBound, bytes[end] == ByteClass.blank else {
            throw .malformed("the method is not a token followed by a blank")
        }
        let method = Self.method(bytes.extracting(line.lowerBound..<end))
        let start = end + 1
        end = start
        while end < line.upperBound, ByteClass.isTarget(bytes[end]) { end += 1 }
        guard end > start, bytes[start] == UInt8(ascii: "/") else {
            throw .malformed("the target does not begin with a slash")
        }
        guard end - start <= limits.targetBytes else {
            throw InvalidRequest(.uriTooLong, "the target may have \(limits.targetBytes) bytes")
        }
        guard end < line.upperBound, bytes[end] == ByteClass.blank else {
            throw .malformed("the target is not followed by a blank and the version")
        }
        let minorVersion = try Self.minorVersion(bytes, end + 1..<line.upperBound)
        return (method, Self.text(bytes, start..<end), minorVersion)
    }

    /// The usual methods are there already: no text is made of them.
    private static func method(_ bytes: Span<UInt8>) -> HTTPMethod {
        if isEqual(bytes, "POST") { return .post }
        if isEqual(bytes, "GET") { return .get }
        return HTTPMethod(rawValue: text(bytes, 0..<bytes.count))
    }

    private static func isEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard text.count == bytes.count else { return false }
            for index in text.indices where bytes[index] != text[index] { return false }
            return true
        }
    }

    private static func minorVersion(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(InvalidRequest) -> UInt8 {
        let prefix: StaticString = "HTTP/"
        guard range.count == 8, matches(bytes, range.lowerBound, prefix),
            ByteClass.isDigit(bytes[range.lowerBound + 5]), bytes[range.lowerBound + 6] == UInt8(ascii: "."),
            ByteClass.isDigit(bytes[range.lowerBound + 7])
        else { throw .malformed("the version is not HTTP/1.1") }
        let minor = bytes[range.lowerBound + 7] - UInt8(ascii: "0")
        guard bytes[range.lowerBound + 5] == UInt8(ascii: "1"), minor <= 1 else {
            throw InvalidRequest(.httpVersionNotSupported, "this server speaks HTTP/1.1")
        }
        return minor
    }

    private static func matches(_ bytes: Span<UInt8>, _ start: Int, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            for index in text.indices where bytes[start + index] != text[index] { return false }
            return true
        }
    }

    /// Text of bytes that are known to be ASCII.
    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        bytes.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
}

// MARK: - Fields

extension RequestHeadParser {
    private mutating func field(
        _ bytes: Span<UInt8>, _ line: Range<Int>, minorVersion: UInt8
    ) throws(InvalidRequest) -> HTTPFields.Field {
        var end = line.lowerBound
        while end < line.upperBound, ByteClass.isToken(bytes[end]) { end += 1 }
        guard end > line.lowerBound, end < line.upperBound, bytes[end] == UInt8(ascii: ":") else {
            throw .malformed("a field is not a name followed by a colon")
        }
        let name = line.lowerBound..<end
        var start = end + 1
        end = line.upperBound
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while end > start, Self.isBlank(bytes[end - 1]) { end -= 1 }
        var all: UInt8 = 0
        for index in start..<end {
            guard ByteClass.isValue(bytes[index]) else { throw .malformed("a control character in a field") }
            all |= bytes[index]
        }
        let value =
            all < 0x80
            ? Self.text(bytes, start..<end)
            : bytes.extracting(start..<end).withUnsafeBufferPointer { String(outside: $0) }
        guard let value else {
            throw .malformed("a field is not UTF-8, or has more than \(StreamSafeText.longestRun) marks in a row")
        }
        try add(bytes.extracting(name), bytes.extracting(start..<end), value, minorVersion: minorVersion)
        return HTTPFields.Field(name: Self.name(bytes.extracting(name)), value: value)
    }

    /// The names that every request with a body has are there already.
    private static func name(_ bytes: Span<UInt8>) -> String {
        if isEqual(bytes, "Host") { return "Host" }
        if isEqual(bytes, "Content-Length") { return "Content-Length" }
        return text(bytes, 0..<bytes.count)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == ByteClass.blank || byte == ByteClass.tab }

    /// Whether a name, which is a token, is this lower-case one.
    private static func isName(_ name: Span<UInt8>, _ lowerCase: StaticString) -> Bool {
        lowerCase.withUTF8Buffer { letters in
            guard letters.count == name.count else { return false }
            // Bit 5 is what upper and lower case differ in; no other byte of a token becomes a letter or a dash by it.
            for index in letters.indices where name[index] | 0x20 != letters[index] { return false }
            return true
        }
    }

    /// Records what a field means for the message and the connection.
    private mutating func add(
        _ name: Span<UInt8>, _ bytes: Span<UInt8>, _ value: String, minorVersion: UInt8
    ) throws(InvalidRequest) {
        switch name.count {
        case 4 where Self.isName(name, "host"):
            guard !hasHost else { throw .malformed("two Host fields") }
            guard HostField.isValid(bytes) else { throw .malformed("the Host field is not a host") }
            hasHost = true
        case 6 where Self.isName(name, "expect"):
            guard value.equalsIgnoringCase("100-continue") else {
                throw InvalidRequest(.expectationFailed, "the only expectation known is 100-continue")
            }
            expectsContinue = true
        case 10 where Self.isName(name, "connection"):
            for option in value.listMembers {
                closes = closes || option.equalsIgnoringCase("close")
                staysOpen = staysOpen || option.equalsIgnoringCase("keep-alive")
            }
        case 14 where Self.isName(name, "content-length"):
            guard length == nil else { throw .malformed("two Content-Length fields") }
            guard let value = Self.length(bytes) else { throw .malformed("Content-Length is not 1 to 12 digits") }
            length = value
        case 17 where Self.isName(name, "transfer-encoding"):
            guard minorVersion == 1 else { throw .malformed("Transfer-Encoding in HTTP/1.0") }
            guard !isChunked else { throw .malformed("two Transfer-Encoding fields") }
            guard value.equalsIgnoringCase("chunked") else {
                throw InvalidRequest(.notImplemented, "the only transfer coding known is chunked")
            }
            isChunked = true
        default: break
        }
    }

    private static func length(_ digits: Span<UInt8>) -> Int? {
        guard 1...12 ~= digits.count else { return nil }
        var length = 0
        for index in 0..<digits.count {
            guard ByteClass.isDigit(digits[index]) else { return nil }
            length = length * 10 + Int(digits[index] - UInt8(ascii: "0"))
        }
        return length
    }
}
