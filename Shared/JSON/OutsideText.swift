/// Text from outside (a member's name, a certificate's owner, a header) in a form that is safe in a reason, a log line,
/// a table of the database or a terminal.
public enum OutsideText {
    /// The text on one line and of bounded length. Doing it twice changes nothing.
    ///
    /// Control and format characters (line ends, terminal sequences, marks that change the direction of writing) and
    /// all other line breaks are shown as `\u{0A}`. Letters of every script stay as they are.
    ///
    /// - Parameter limit: the largest number of characters; the last is `…` when the text was cut.
    public static func printable(_ text: some StringProtocol, upTo limit: Int = 500) -> String {
        // The common case.
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return String(text) }
        var printable = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let shown = isPlain(scalar) ? String(scalar) : "\\u{\(hex(scalar.value))}"
            count += shown.unicodeScalars.count
            guard count <= limit else {
                while printable.unicodeScalars.count >= limit, !printable.isEmpty {
                    printable.unicodeScalars.removeLast()
                }
                return printable + "…"
            }
            printable.unicodeScalars.append(contentsOf: shown.unicodeScalars)
        }
        return printable
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
