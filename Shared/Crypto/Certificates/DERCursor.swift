/// Reads DER (X.690) in place, one element after another, in a time that is bounded by the number of bytes.
///
/// For bytes from outside that must be checked before a library reads them. It supports tags of one byte and lengths in
/// their one form, and only reads nested elements on request.
struct DERCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next element; nil at the end.
    var nextTag: UInt8? { rest.first }

    /// The next element; nil when it has another tag, does not end, or is not DER. After a nil, nothing more may be
    /// read.
    mutating func next(_ tag: UInt8) -> DERElement? {
        guard rest.first == tag, tag & 0x1F != 0x1F, rest.count >= 2 else { return nil }
        let start = rest.startIndex
        let first = rest[start + 1]
        var content = start + 2
        var length = Int(first)
        if first >= 0x80 {
            let count = Int(first & 0x7F)
            // Two bytes can express 64 KB; larger input is refused elsewhere.
            guard (1...2).contains(count), rest.count >= 2 + count else { return nil }
            content += count
            length = rest[(start + 2)..<content].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, length > 0xFF || count == 1 else { return nil }
        }
        guard length <= rest.endIndex - content else { return nil }
        let end = content + length
        defer { rest = rest[end...] }
        return DERElement(encoding: rest[start..<end], content: rest[content..<end])
    }

    /// The only remaining element, with that tag.
    mutating func last(_ tag: UInt8) -> DERElement? {
        guard let element = next(tag), isAtEnd else { return nil }
        return element
    }
}

/// An element of DER.
struct DERElement {
    /// Tag, length and content.
    let encoding: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    /// The elements inside.
    var children: DERCursor { DERCursor(content) }

    /// The number of an INTEGER that is neither negative nor larger than 2^31 - 1; nil for another.
    var smallNumber: Int? {
        guard (1...4).contains(content.count), content.first.map({ $0 < 0x80 }) == true else { return nil }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }
}

/// The tags that certificates and keys have.
enum DERTag {
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let sequence: UInt8 = 0x30
    /// [0] and [3], constructed: version and extensions of a certificate.
    static let context0: UInt8 = 0xA0
    /// [0], primitive: an implicit OCTET STRING.
    static let primitive0: UInt8 = 0x80
    static let context3: UInt8 = 0xA3
}
