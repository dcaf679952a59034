/// Text that is slow to compare: combining marks in the order that takes Unicode's normalization the longest.
public enum CombiningMarks {
    /// A letter and `count` marks behind it.
    public static func text(_ count: Int) -> String {
        // Marks above the letter (class 230) before marks below it (class 220), which belong before them.
        "b" + String(repeating: "\u{301}", count: count / 2) + String(repeating: "\u{323}", count: count - count / 2)
    }

    /// Such text as an acceptable one may be: 30 marks behind each letter, `count` in all.
    public static func streamSafeText(_ count: Int) -> String {
        String(repeating: text(30), count: count / 30)
    }
}
