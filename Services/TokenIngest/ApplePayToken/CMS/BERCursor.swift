/// Reads BER elements one after another, with definite and indefinite lengths, both of which Apple's signatures have.
struct BERCursor {
    /// Deeper nesting is refused; a token's CMS has about ten levels.
    static let maximumDepth = 24
    /// More elements inside indefinite lengths are refused; a token's CMS has about forty.
    static let maximumElements = 512

    private let bytes: [UInt8]
    private var position: Int
    private let end: Int
    private let depth: Int
    /// How many elements may still be skipped in the search for end marks.
    private var budget = maximumElements

    init(_ bytes: [UInt8]) {
        self.init(bytes, bytes.indices, depth: 0)
    }

    init(_ bytes: [UInt8], _ range: Range<Int>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    /// The tag of the next element, or nil at the end.
    var nextTag: UInt8? { position < end ? bytes[position] : nil }

    /// The next element, of any tag.
    mutating func next() throws(InvalidToken) -> BERElement {
        let start = position
        let tag = try byte()
        guard tag & 0x1F != 0x1F, tag != 0 else { throw Self.broken("a tag that no token has") }
        let first = try byte()
        let content: Range<Int>
        var isDER = true
        switch first {
        case 0x80:
            guard tag & 0x20 != 0 else { throw Self.broken("an indefinite length outside a structure") }
            content = try skipToEndMark()
            isDER = false
        case 0x00..<0x80:
            content = try consume(Int(first))
        default:
            let count = Int(first & 0x7F)
            guard count <= 4 else { throw Self.broken("a length that no token has") }
            var length = 0
            for _ in 0..<count { length = length << 8 | Int(try byte()) }
            isDER = length >= 0x80 && length >> ((count - 1) * 8) > 0
            content = try consume(length)
        }
        return BERElement(
            bytes: bytes, tag: tag, whole: start..<position, content: content, hasDERLength: isDER, depth: depth)
    }

    /// The next element, which must have that tag.
    mutating func next(_ tag: UInt8) throws(InvalidToken) -> BERElement {
        guard nextTag == tag else { throw Self.broken("another element than CMS has there") }
        return try next()
    }

    /// The next element if it has that tag.
    mutating func nextIf(_ tag: UInt8) throws(InvalidToken) -> BERElement? {
        nextTag == tag ? try next() : nil
    }

    /// Checks that no element is left.
    func requireEnd() throws(InvalidToken) {
        if !isAtEnd { throw Self.broken("more elements than CMS has there") }
    }

    static func broken(_ what: String) -> InvalidToken {
        InvalidToken(.parse, "the signature is not the CMS that Apple makes: it has \(what)")
    }

    private mutating func byte() throws(InvalidToken) -> UInt8 {
        guard position < end else { throw Self.broken("an end too early") }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func consume(_ count: Int) throws(InvalidToken) -> Range<Int> {
        guard count <= end - position else { throw Self.broken("an end too early") }
        defer { position += count }
        return position..<position + count
    }

    /// Skips the elements of an indefinite length and its end mark; returns the range before the mark.
    private mutating func skipToEndMark() throws(InvalidToken) -> Range<Int> {
        guard depth < Self.maximumDepth else { throw Self.broken("too many levels") }
        let start = position
        var inner = BERCursor(bytes, position..<end, depth: depth + 1)
        inner.budget = budget
        while inner.nextTag != 0 {
            guard inner.budget > 0 else { throw Self.broken("too many elements") }
            inner.budget -= 1
            _ = try inner.next()
        }
        budget = inner.budget
        let stop = inner.position
        position = stop + 1
        guard try byte() == 0 else { throw Self.broken("a wrong end mark") }
        return start..<stop
    }
}
