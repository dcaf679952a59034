/// Writes ASN.1 in DER (X.690), and in BER's indefinite length where Apple's signatures have it.
///
/// Certificates and signatures are built by hand, so that a wrong one is as easy to make as a correct one.
public enum DER {
    /// One element; `indefinite` writes length `80` and the end-of-contents octets.
    public static func element(_ tag: UInt8, _ body: [UInt8], indefinite: Bool = false) -> [UInt8] {
        if indefinite { return [tag, 0x80] + body + [0, 0] }
        if body.count < 128 { return [tag, UInt8(body.count)] + body }
        let length = bigEndian(body.count)
        return [tag, 0x80 | UInt8(length.count)] + length + body
    }

    public static func sequence(_ parts: [UInt8]..., indefinite: Bool = false) -> [UInt8] {
        element(0x30, parts.flatMap(\.self), indefinite: indefinite)
    }

    /// SET OF: DER orders the elements by their bytes.
    public static func set(_ parts: [[UInt8]]) -> [UInt8] {
        element(0x31, sorted(parts).flatMap(\.self))
    }

    /// The elements in the order that DER gives a SET OF.
    public static func sorted(_ parts: [[UInt8]]) -> [[UInt8]] {
        parts.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// A constructed context-specific element, `[number]`.
    public static func context(_ number: UInt8, _ body: [UInt8], indefinite: Bool = false) -> [UInt8] {
        element(0xA0 | number, body, indefinite: indefinite)
    }

    /// An INTEGER from an unsigned big-endian number.
    public static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        var digits = Array(magnitude.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(0x02, digits)
    }

    public static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// A BIT STRING; `unused` bits at the end do not count.
    public static func bitString(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] { element(0x03, [unused] + bytes) }

    public static func utf8String(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

    public static func printableString(_ text: String) -> [UInt8] { element(0x13, Array(text.utf8)) }

    public static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0]) }

    public static let null: [UInt8] = [0x05, 0x00]

    /// An OBJECT IDENTIFIER from its dotted form.
    public static func objectIdentifier(_ dotted: String) -> [UInt8] {
        let arcs = dotted.split(separator: ".").compactMap { UInt64($0) }
        precondition(arcs.count >= 2 && arcs[0] <= 2, "\(dotted) is no object identifier")
        return element(0x06, ([arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)).flatMap(base128))
    }

    private static func base128(_ arc: UInt64) -> [UInt8] {
        var groups = [UInt8(arc & 0x7F)]
        var rest = arc >> 7
        while rest > 0 {
            groups.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
            rest >>= 7
        }
        return groups
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0.drop { $0 == 0 }) }
    }
}
