extension String {
    /// The text on one line, without control characters and of bounded length: for words that quote what came from
    /// outside, in a log, an error or a table.
    ///
    /// Control characters and those that break lines or turn the writing direction are shown as `\\u{0A}`. Doing it twice
    /// changes nothing.
    ///
    /// - Parameter limit: the most characters; the last is `…` when something is cut off.
    public func printable(upTo limit: Int = 500) -> String {
        var text = ""
        var count = 0
        for scalar in unicodeScalars {
            let shown = scalar.isHarmless ? String(scalar) : "\\u{" + Self.hex(scalar.value) + "}"
            count += shown.unicodeScalars.count
            guard count <= limit else {
                while text.unicodeScalars.count >= limit, !text.isEmpty { text.unicodeScalars.removeLast() }
                return text + "…"
            }
            text.unicodeScalars.append(contentsOf: shown.unicodeScalars)
        }
        return text
    }

    private static func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
    }
}

extension Unicode.Scalar {
    fileprivate var isHarmless: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: false
        default: true
        }
    }
}
