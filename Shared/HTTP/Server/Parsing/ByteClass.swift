/// The character classes of RFC 9110 §5.5, §5.6.2 and RFC 3986.
enum ByteClass {
    static let carriageReturn = UInt8(ascii: "\r")
    static let lineFeed = UInt8(ascii: "\n")
    static let blank = UInt8(ascii: " ")
    static let tab = UInt8(ascii: "\t")

    /// A character of a method or field name.
    static func isToken(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_6CFA_0000_0000, high: 0x57FF_FFFF_C7FF_FFFE)
    }

    /// A character of a field value: no control but HTAB. Bytes above ASCII are checked as UTF-8 by the caller.
    static func isValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == tab }

    /// A character of a target in origin form; stricter than RFC 3986 only in that the fragment is no part of it.
    static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "#") }

    /// A character of a host name or IPv4 address (unreserved, sub-delims but the comma, percent).
    static func isHost(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x2BFF_6FF2_0000_0000, high: 0x47FF_FFFE_87FF_FFFE)
    }

    static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

    /// Whether a text is a method or the name of a field.
    static func isToken(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in 0..<bytes.count where !isToken(bytes[index]) { return false }
        return bytes.count > 0
    }

    /// Whether a text can be the value of a field.
    static func isValue(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in 0..<bytes.count where !isValue(bytes[index]) { return false }
        return true
    }

    private static func contains(_ byte: UInt8, low: UInt64, high: UInt64) -> Bool {
        byte < 0x80 && (byte < 0x40 ? low : high) >> UInt64(byte & 0x3F) & 1 == 1
    }
}
