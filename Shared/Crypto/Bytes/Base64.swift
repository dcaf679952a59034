/// Base64 (RFC 4648), canonical only: one text for each sequence of bytes.
///
/// Line breaks, missing or extra padding, the other alphabet and unused bits that are not zero are refused, so that a
/// text cannot be changed without changing the bytes.
public enum Base64 {
    /// Standard alphabet with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        String(decoding: encode(bytes, .standard, isPadded: true), as: UTF8.self)
    }

    /// The URL alphabet without padding (RFC 7515 section 2).
    public static func encodeURL(_ bytes: [UInt8]) -> String {
        String(decoding: encodedURL(bytes), as: UTF8.self)
    }

    /// The text of ``encodeURL(_:)`` as bytes, for secrets.
    static func encodedURL(_ bytes: [UInt8]) -> [UInt8] {
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
        let digits = alphabet.digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 2 < bytes.count {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            text.append(digits[Int(group >> 6 & 63)])
            text.append(digits[Int(group & 63)])
            index += 3
        }
        let rest = bytes.count - index
        if rest > 0 {
            let group = UInt32(bytes[index]) << 16 | (rest == 2 ? UInt32(bytes[index + 1]) << 8 : 0)
            text.append(digits[Int(group >> 18)])
            text.append(digits[Int(group >> 12 & 63)])
            if rest == 2 { text.append(digits[Int(group >> 6 & 63)]) }
            if isPadded { text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - rest)) }
        }
        return text
    }

    private static func decode(_ text: ArraySlice<UInt8>, _ alphabet: Base64Alphabet) -> [UInt8]? {
        let values = alphabet.values
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
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
    /// The value of each byte; 255 for those outside the alphabet.
    let values: [UInt8]

    private init(last: String) {
        digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(last)".utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }
}
