/// Text that is slow to compare: combining marks in the order that takes Unicode's normalization the longest.
public enum CombiningMarks {
    /// A letter followed by `count` marks.
    public static func text(_ count: Int) -> String {
        // Marks above the letter (class 230) before marks below it (class 220), although normal order is the reverse.
        "b" + String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{323}", count: count - count / 2)
    }

    /// Slow text that is still acceptable: 30 marks after each letter, `count` in all.
    public static func streamSafeText(_ count: Int) -> String {
        String(repeating: text(30), count: count / 30)
    }
}
