/// Checks that text from outside costs no more than its length suggests: Unicode's stream-safe text (UAX #15, section
/// 13).
///
/// Swift compares and hashes strings by canonical equivalence, for which it sorts each run of combining marks by
/// insertion: one `==` with 64 KB of marks takes seconds. So bytes from outside become a `String` only when no more
/// than 30 marks follow each other. No language needs as many.
public enum StreamSafeText {
    /// The largest number of combining marks in a row.
    public static let longestRun = 30

    /// Whether no run of marks is longer than ``longestRun``.
    public static func holds(_ text: String) -> Bool {
        if text.utf8Span.isKnownASCII { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = isMark(scalar) ? run + 1 : 0
            if run > longestRun { return false }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // All characters before the first mark, and the largest scripts, which have none.
        case 0..<0x300, 0x3400..<0xA000, 0xAC00..<0xD7A4: false
        // These decompose into marks, though they are no marks themselves.
        case 0xF73, 0xF75, 0xF81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}

extension String {
    /// Text from outside; nil when the bytes are not UTF-8 or not stream-safe (``StreamSafeText``).
    public init?(outside bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), StreamSafeText.holds(text) else { return nil }
        self = text
    }

    /// Text from outside; the same for an array.
    public init?(outside bytes: [UInt8]) { self.init(outside: bytes.span) }

    /// Text from outside; the same for borrowed bytes.
    public init?(outside bytes: Span<UInt8>) {
        guard let span = try? UTF8Span(validating: bytes) else { return nil }
        let text = String(copying: span)
        guard StreamSafeText.holds(text) else { return nil }
        self = text
    }
}
