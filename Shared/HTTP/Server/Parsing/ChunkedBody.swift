import OrchardHTTPTypes

/// Decodes a chunked body (RFC 9112 §7.1) piece by piece, without extensions and trailers.
struct ChunkedBody: Hashable {
    private enum State: Hashable {
        case size(value: Int, digits: Int)
        case sizeEnd(Int)
        case data(Int)
        case dataReturn
        case dataEnd
        case lastReturn
        case lastEnd
        case done
    }

    /// What was decoded so far.
    private(set) var content: [UInt8] = []
    private var state = State.size(value: 0, digits: 0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var isComplete: Bool { state == .done }

    /// Reads bytes until the body is complete or they are used up.
    ///
    /// - Returns: how many bytes belonged to the body.
    mutating func consume(_ bytes: Span<UInt8>) throws(InvalidRequest) -> Int {
        var index = 0
        while index < bytes.count, state != .done {
            if case .data(let remaining) = state {
                let count = min(remaining, bytes.count - index)
                bytes.extracting(index..<index + count).withUnsafeBufferPointer { content.append(contentsOf: $0) }
                index += count
                state = count == remaining ? .dataReturn : .data(remaining - count)
            } else {
                state = try next(after: bytes[index])
                index += 1
            }
        }
        return index
    }

    private func next(after byte: UInt8) throws(InvalidRequest) -> State {
        switch (state, byte) {
        case (.size(let value, let digits), ByteClass.carriageReturn) where digits > 0:
            return .sizeEnd(value)
        case (.size(let value, let digits), _):
            guard let digit = PercentEncoding.hexDigit(byte), digits < 8 else {
                throw .malformed("a chunk size is not 1 to 8 hex digits and CRLF")
            }
            return .size(value: value << 4 | Int(digit), digits: digits + 1)
        case (.sizeEnd(0), ByteClass.lineFeed):
            return .lastReturn
        case (.sizeEnd(let size), ByteClass.lineFeed):
            guard size <= limit - content.count else {
                throw InvalidRequest(.contentTooLarge, "the body may have \(limit) bytes")
            }
            return .data(size)
        case (.dataReturn, ByteClass.carriageReturn): return .dataEnd
        case (.dataEnd, ByteClass.lineFeed): return .size(value: 0, digits: 0)
        case (.lastReturn, ByteClass.carriageReturn): return .lastEnd
        case (.lastEnd, ByteClass.lineFeed): return .done
        default: throw .malformed("a chunk is not ended by CRLF, or there are trailers")
        }
    }
}
