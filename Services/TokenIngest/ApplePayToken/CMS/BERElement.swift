/// An element of BER (X.690): ranges into the bytes in which it was found, without a copy.
struct BERElement: Sendable {
    let bytes: [UInt8]
    let tag: UInt8
    /// Tag, length and content, and the end mark if there is one.
    let whole: Range<Int>
    /// The content without an end mark.
    let content: Range<Int>
    /// Whether the length has the one form that DER allows.
    let hasDERLength: Bool
    /// The nesting depth of this element.
    let depth: Int

    /// The bytes of the whole element.
    var encoding: ArraySlice<UInt8> { bytes[whole] }
    /// The bytes of the content.
    var value: ArraySlice<UInt8> { bytes[content] }

    /// The elements inside, one after another.
    var children: BERCursor {
        BERCursor(bytes, content, depth: depth + 1)
    }

    /// Whether this is an object identifier with these content bytes.
    func isIdentifier(_ identifier: ObjectIdentifier) -> Bool {
        tag == BERTag.objectIdentifier && value.elementsEqual(identifier.content)
    }
}

/// The tags in a token's CMS.
enum BERTag {
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// [0] and [1], constructed.
    static let context0: UInt8 = 0xA0
    static let context1: UInt8 = 0xA1
}
