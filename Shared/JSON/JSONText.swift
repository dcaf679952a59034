/// Which bytes cannot stand as they are between quotation marks (RFC 8259 section 7).
enum JSONText {
    /// Whether this is a control character, a quotation mark or a backslash.
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// Whether one of eight bytes is (Warren, Hacker's Delight 6-1): strings are most of all text, and nearly none of
    /// their bytes is special.
    static func needsEscape(_ word: UInt64) -> Bool {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        return (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & tops != 0
    }

    /// Whether a byte of the text is.
    static func needsEscapes(_ text: String) -> Bool {
        let span = text.utf8.span
        var index = 0
        while index + 8 <= span.count {
            if needsEscape(span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)) { return true }
            index += 8
        }
        while index < span.count {
            if needsEscape(span[index]) { return true }
            index += 1
        }
        return false
    }
}
