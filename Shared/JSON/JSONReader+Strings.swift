extension JSONReader {
    /// Reads a string.
    public mutating func string() throws(JSONError) -> String {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw mismatch("a string") }
        let (text, hasEscapes) = try scanString()
        let value = try string(text, hasEscapes: hasEscapes)
        position = text.upperBound + 1
        return value
    }

    /// Reads a string without escapes if `read` accepts its bytes. Otherwise it reads nothing and returns nil; the
    /// caller then reads the string in the usual way and gets an error that says what is wrong.
    ///
    /// For identifiers, times and other ASCII texts in a fixed form: no `String` is made of them.
    @inlinable
    public mutating func plain<Value>(_ read: (Span<UInt8>) -> Value?) -> Value? {
        guard let text = plainText(), let value = read(bytes.span.extracting(text)) else { return nil }
        position = text.upperBound + 1
        return value
    }

    /// The position of the next value, if it is a string without escapes.
    @usableFromInline
    mutating func plainText() -> Range<Int>? {
        skipSpace()
        guard current == UInt8(ascii: "\""), let (text, hasEscapes) = try? scanString(), !hasEscapes else { return nil }
        return text
    }

    /// Reads a string of at most `limit` UTF-8 bytes that is not empty.
    public mutating func string(upTo limit: Int) throws(JSONError) -> String {
        let value = try string()
        guard !value.isEmpty else { throw error(.value, "the string must not be empty") }
        guard value.utf8.count <= limit else { throw error(.value, "the string must have at most \(limit) bytes") }
        return value
    }

    /// Reads a string as UTF-8, byte by byte with its escapes resolved.
    ///
    /// For secrets: no `String` is made of them, because its memory could not be wiped.
    public mutating func utf8(_ each: (UInt8) -> Void) throws(JSONError) {
        skipSpace()
        guard current == UInt8(ascii: "\"") else { throw mismatch("a string") }
        let (text, hasEscapes) = try scanString()
        try validate(text)
        if hasEscapes {
            try unescape(text, each)
        } else {
            for index in text { each(bytes[index]) }
        }
        position = text.upperBound + 1
    }

    /// The string between two quotation marks.
    func string(_ text: Range<Int>, hasEscapes: Bool) throws(JSONError) -> String {
        let value: String
        if hasEscapes {
            try validate(text)
            var unescaped: [UInt8] = []
            unescaped.reserveCapacity(text.count)
            try unescape(text) { unescaped.append($0) }
            value = String(decoding: unescaped, as: UTF8.self)
        } else {
            do {
                let utf8 = try UTF8Span(validating: bytes.span.extracting(text))
                value = String(copying: utf8)
                if utf8.isKnownASCII { return value }
            } catch {
                throw notUTF8(text)
            }
        }
        guard StreamSafeText.holds(value) else {
            let reason = "more than \(StreamSafeText.longestRun) combining marks follow each other"
            throw error(.encoding, reason, at: text.lowerBound)
        }
        return value
    }

    /// Finds the text between the current quotation mark and the one that closes the string.
    func scanString() throws(JSONError) -> (text: Range<Int>, hasEscapes: Bool) {
        let span = bytes.span
        var index = position + 1
        var hasEscapes = false
        while index < span.count {
            if index + 8 <= span.count {
                let word = span.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                let plain = JSONText.plainBytes(word.littleEndian)
                index += plain
                if plain == 8 { continue }
            }
            switch span[index] {
            case UInt8(ascii: "\""): return (position + 1..<index, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                index += 2
            case 0..<0x20: throw error(.syntax, "control characters in strings must be escaped", at: index)
            default: index += 1
            }
        }
        throw error(.syntax, "the text ends inside a string", at: bytes.count)
    }

    private func validate(_ text: Range<Int>) throws(JSONError) {
        do { _ = try UTF8Span(validating: bytes.span.extracting(text)) } catch { throw notUTF8(text) }
    }

    private func notUTF8(_ text: Range<Int>) -> JSONError {
        error(.encoding, "the string is not UTF-8", at: text.lowerBound)
    }

    private func unescape(_ range: Range<Int>, _ each: (UInt8) -> Void) throws(JSONError) {
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            guard byte == UInt8(ascii: "\\") else {
                each(byte)
                index += 1
                continue
            }
            switch bytes[index + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): each(bytes[index + 1])
            case UInt8(ascii: "b"): each(0x08)
            case UInt8(ascii: "f"): each(0x0C)
            case UInt8(ascii: "n"): each(0x0A)
            case UInt8(ascii: "r"): each(0x0D)
            case UInt8(ascii: "t"): each(0x09)
            case UInt8(ascii: "u"):
                let (scalar, length) = try escapedScalar(at: index, before: range.upperBound)
                for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { each(unit) }
                index += length
                continue
            default: throw error(.syntax, "the string has an unknown escape", at: index)
            }
            index += 2
        }
    }

    /// The scalar of one `\uXXXX`, or of two for a surrogate pair.
    private func escapedScalar(at index: Int, before end: Int) throws(JSONError) -> (Unicode.Scalar, length: Int) {
        let high = try escapedUnit(at: index, before: end)
        if let scalar = Unicode.Scalar(high) { return (scalar, 6) }
        guard UTF16.isLeadSurrogate(UInt16(high)), index + 7 < end, bytes[index + 6] == UInt8(ascii: "\\"),
            bytes[index + 7] == UInt8(ascii: "u")
        else { throw error(.encoding, "the string escapes half of a surrogate pair", at: index) }
        let low = try escapedUnit(at: index + 6, before: end)
        guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: low)),
            let scalar = Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        else { throw error(.encoding, "the string escapes half of a surrogate pair", at: index) }
        return (scalar, 12)
    }

    private func escapedUnit(at index: Int, before end: Int) throws(JSONError) -> UInt32 {
        guard index + 6 <= end else { throw error(.syntax, "an escape needs four hexadecimal digits", at: index) }
        var unit: UInt32 = 0
        for byte in bytes[index + 2..<index + 6] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw error(.syntax, "an escape needs four hexadecimal digits", at: index)
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }
}
