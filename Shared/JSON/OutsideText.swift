/// Text from outside (a member's name, a certificate's owner) as it may stand in a reason, a log line or a terminal.
public enum OutsideText {
    /// The text on one line, in at most `limit` characters and an ellipsis.
    ///
    /// Escaped as `\u{…}` are control and format characters (line ends, terminal sequences, marks that turn the direction
    /// of writing) and all that breaks lines; so is the backslash, so that nothing looks escaped that was not. Letters of
    /// every script stay as they are.
    public static func printable(_ text: some StringProtocol, upTo limit: Int = 64) -> String {
        var printable = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return printable + "…" }
            if isPlain(scalar) {
                printable.unicodeScalars.append(scalar)
            } else {
                printable += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return printable
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) && scalar != "\\" }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }
}
