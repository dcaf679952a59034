/// Base64 (RFC 4648), canonical only: one text for each sequence of bytes.
///
/// Refused are line breaks, missing or extra padding, the other alphabet and unused bits that are not zero. So a text
/// cannot be changed without changing the bytes.
public enum Base64 {
    /// Standard alphabet with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes, .standard, isPadded: true), as: UTF8.self)
    }

    /// The URL alphabet without padding (RFC 7515 section 2).
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        String(decoding: encodedURL(bytes), as: UTF8.self)
    }

    /// The text of ``encodeURL(_:)`` as bytes, for secrets and for texts of several parts.
    package static func encodedURL(_ bytes: [UInt8]) -> [UInt8] {
        encode(bytes, .url, isPadded: false)
    }

    /// The bytes of a text in the standard alphabet with padding, or nil.
    public static func decode(_ text: String) -> [UInt8]? {
        decode(utf8: Array(text.utf8))
    }

    /// The bytes of a text in the standard alphabet with padding, or nil.
    public static func decode(utf8 text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        let padding = text.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return decode(text[..<(text.count - padding)], .standard)
    }

    /// The bytes of a text in the URL alphabet without padding, or nil.
    public static func decodeURL(_ text: some StringProtocol) -> [UInt8]? {
        decodeURL(utf8: Array(text.utf8)[...])
    }

    /// The bytes of a text in the URL alphabet without padding, or nil.
    public static func decodeURL(utf8 text: ArraySlice<UInt8>) -> [UInt8]? {
        decode(text, .url)
    }

    private static func encode(_ bytes: [UInt8], _ alphabet: Base64Alphabet, isPadded: Bool) -> [UInt8] {
        let rest = bytes.count % 3
        let digitCount = bytes.count / 3 * 4 + (rest == 0 ? 0 : rest + 1)
        // Positions that are not written stay padding.
        var text = [UInt8](repeating: UInt8(ascii: "="), count: isPadded ? (digitCount + 3) / 4 * 4 : digitCount)
        var output = text.mutableSpan
        let (input, digits) = (bytes.span, alphabet.digits.span)
        var (index, place) = (0, 0)
        while index + 2 < input.count {
            let group = UInt32(input[index]) << 16 | UInt32(input[index + 1]) << 8 | UInt32(input[index + 2])
            output[place] = digits[Int(group >> 18)]
            output[place + 1] = digits[Int(group >> 12 & 63)]
            output[place + 2] = digits[Int(group >> 6 & 63)]
            output[place + 3] = digits[Int(group & 63)]
            index += 3
            place += 4
        }
        if rest > 0 {
            let group = UInt32(input[index]) << 16 | (rest == 2 ? UInt32(input[index + 1]) << 8 : 0)
            output[place] = digits[Int(group >> 18)]
            output[place + 1] = digits[Int(group >> 12 & 63)]
            if rest == 2 { output[place + 2] = digits[Int(group >> 6 & 63)] }
        }
        return text
    }

    private static func decode(_ text: ArraySlice<UInt8>, _ alphabet: Base64Alphabet) -> [UInt8]? {
        let (input, values) = (text.span, alphabet.values.span)
        guard input.count % 4 != 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: input.count * 3 / 4)
        var output = bytes.mutableSpan
        var (index, place) = (0, 0)
        while index + 3 < input.count {
            let (first, second) = (values[Int(input[index])], values[Int(input[index + 1])])
            let (third, fourth) = (values[Int(input[index + 2])], values[Int(input[index + 3])])
            guard (first | second | third | fourth) < 64 else { return nil }
            output[place] = first << 2 | second >> 4
            output[place + 1] = second << 4 | third >> 2
            output[place + 2] = third << 6 | fourth
            index += 4
            place += 3
        }
        var bits: UInt32 = 0
        var count = 0
        while index < input.count {
            let value = values[Int(input[index])]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                output[place] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
                place += 1
            }
            index += 1
        }
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }
}

/// The 64 digits of a base64 alphabet, and back.
private struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(last: "+/")
    static let url = Base64Alphabet(last: "-_")

    let digits: [UInt8]
    /// The value of each byte; 255 for a byte outside the alphabet.
    let values: [UInt8]

    private init(last: String) {
        digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }
}
