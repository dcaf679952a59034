/// Hexadecimal text.
public enum Hex {
    /// Two lower-case digits a byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String { encode(Array(bytes)) }

    /// Two lower-case digits a byte.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { text in
            for (place, byte) in bytes.enumerated() {
                text[2 * place] = digit(byte >> 4)
                text[2 * place + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    /// The bytes of an even number of digits in either case; nil for any other character.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(text.utf8.span)
    }

    /// The bytes of an even number of digits in either case; nil for any other character.
    public static func decode(utf8 text: [UInt8]) -> [UInt8]? { decode(text.span) }

    /// The bytes of an even number of digits in either case; nil for any other character.
    public static func decode(_ text: Span<UInt8>) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        for index in stride(from: 0, to: text.count, by: 2) {
            guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
