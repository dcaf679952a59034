/// Finds the bytes that must be escaped between quotation marks (RFC 8259 section 7).
enum JSONText {
    /// Whether this is a control character, a quotation mark or a backslash.
    static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    /// How many of eight bytes, from the first one, need no escape; 8 when none does (Warren, Hacker's Delight 6-1).
    /// Most text is in strings, and nearly none of their bytes needs an escape.
    static func plainBytes(_ word: UInt64) -> Int {
        let (ones, tops): (UInt64, UInt64) = (0x0101_0101_0101_0101, 0x8080_8080_8080_8080)
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let control = (word &- ones &* 0x20) & ~word
        // Only bytes after one that needs an escape can be marked wrongly, so the lowest mark is right.
        let marks = (control | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & tops
        return marks.trailingZeroBitCount / 8
    }

    /// Whether a byte of the text needs an escape.
    static func needsEscapes(_ text: String) -> Bool {
        let span = text.utf8.span
        var index = 0
        while index + 8 <= span.count {
            let word = span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            if plainBytes(word.littleEndian) < 8 { return true }
            index += 8
        }
        while index < span.count {
            if needsEscape(span[index]) { return true }
            index += 1
        }
        return false
    }

    /// Whether one text sorts before another by its bytes.
    static func precedes(_ left: String, _ right: String) -> Bool {
        let (left, right) = (left.utf8.span, right.utf8.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}

extension Span<UInt8> {
    /// Whether no byte is above 0x7F. Eight are looked at at a time: every name of a member is.
    package var isASCII: Bool {
        var (index, found) = (0, UInt64(0))
        while index + 8 <= count {
            found |= bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            found |= UInt64(self[index])
            index += 1
        }
        return found & 0x8080_8080_8080_8080 == 0
    }
}
