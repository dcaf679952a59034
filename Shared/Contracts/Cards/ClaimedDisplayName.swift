/// The name of a card as the device states it (`paymentMethod.displayName`), as in "Visa 1234". Nobody signed it.
///
/// It is shown and never trusted. A changed app can send any text, so it is bounded, has no characters that change how
/// the text around it reads, and no digits beyond its last four: no card number gets through.
public struct ClaimedDisplayName: Hashable, Sendable {
    public let text: String

    /// The most Unicode scalars.
    public static let maximumLength = 64

    /// - Parameter claimed: any text.
    /// - Returns: nil when no letter is left of it.
    public init?(_ claimed: String) {
        let shown = claimed.unicodeScalars.lazy.filter { Self.isShown($0) || Self.isSpace($0) }.prefix(
            Self.maximumLength)
        let digits = shown.filter(Self.isDigit).count
        var (kept, seen) = (String.UnicodeScalarView(), 0)
        for scalar in shown {
            if Self.isDigit(scalar) { seen += 1 }
            guard !Self.isDigit(scalar) || seen > digits - 4 else { continue }
            // One space between words, none at the ends.
            if Self.isSpace(scalar) {
                if let last = kept.last, last != " " { kept.append(" ") }
            } else {
                kept.append(scalar)
            }
        }
        if kept.last == " " { kept.removeLast() }
        guard kept.contains(where: \.properties.isAlphabetic) else { return nil }
        text = String(kept)
    }

    /// The last four digits of the card, if the name ends with exactly four.
    public var lastFour: String? {
        let scalars = text.unicodeScalars
        guard scalars.filter(Self.isDigit).count == 4, scalars.suffix(4).allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return String(String.UnicodeScalarView(scalars.suffix(4)))
    }

    /// The name without the last four digits and what stands before them.
    var name: String {
        guard lastFour != nil else { return text }
        let letters = text.unicodeScalars.dropLast(4)
        let end = letters.lastIndex { $0.properties.isAlphabetic || Self.isDigit($0) }
        return end.map { String(String.UnicodeScalarView(letters[...$0])) } ?? text
    }

    /// A digit of any script, also a superscript or a circled one.
    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.numericType == .decimal || scalar.properties.numericType == .digit
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .spaceSeparator
    }

    /// Letters, marks, numbers, punctuation and symbols. Control and format characters could turn the direction of a
    /// text or hide a part of it.
    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .spaceSeparator:
            false
        default: true
        }
    }
}
