import Contracts

/// Searches for possible card numbers, to prove that the books contain none.
public enum CardNumberScan {
    /// How many card numbers `text` may contain: 13 to 19 digits, perhaps in groups, that stand alone, begin like a
    /// card of a network (ISO/IEC 7812) and end in the right check digit (Luhn, ISO/IEC 7812-1 annex B). Telephone numbers
    /// and groups of identifiers are left out.
    public static func count(in text: [UInt8]) -> Int { count(in: text.span) }

    /// The same for all parts of a record.
    public static func count(in record: JournalRecord) -> Int {
        count(in: record.key ?? []) + count(in: record.headerBytes) + count(in: record.value)
    }

    /// The same for lent bytes. Each byte is read a few times at most; digits are copied only from runs of the right length.
    public static func count(in text: Span<UInt8>) -> Int {
        var found = 0
        var index = 0
        // A number has at least 13 bytes: when one of the next 13 cannot be part of one, no number begins before it.
        while index + fewest <= text.count {
            var last = index + fewest - 1
            while last >= index, isDigit(text[last]) || isSeparator(text[last]) { last -= 1 }
            guard last < index else {
                index = last + 1
                continue
            }
            guard isDigit(text[index]) else {
                index += 1
                continue
            }
            let first = index
            var digits = 1
            last = index
            index += 1
            while index < text.count {
                if isDigit(text[index]) {
                    digits += 1
                    last = index
                } else if !isSeparator(text[index]) || last != index - 1 {
                    break
                }
                index += 1
            }
            // A separator at the end belongs to what follows.
            if isCardNumber(first...last, digits, of: text) {
                found += 1
            } else if digits >= fewest, digits <= last - first {
                found += count(inGroupsOf: first...last, of: text)
            }
        }
        return found
    }

    /// The groups in which cards have their numbers; a number in one piece is one group.
    private static let layouts = [
        [4, 4, 4, 4, 3], [4, 4, 4, 4, 2], [4, 4, 4, 4, 1], [4, 4, 4, 4], [6, 13], [4, 6, 5], [4, 6, 4], [4, 4, 5],
    ]

    /// The same for groups of digits that are no card number as a whole: a date or another number may stand beside one.
    private static func count(inGroupsOf run: ClosedRange<Int>, of text: Span<UInt8>) -> Int {
        /// The place of the group's last digit.
        func end(of start: Int) -> Int {
            var end = start
            while end < run.upperBound, isDigit(text[end + 1]) { end += 1 }
            return end
        }
        /// The last place of groups of these lengths; nil when others stand there.
        func end(of layout: [Int], from start: Int) -> Int? {
            var (start, last) = (start, start)
            for length in layout {
                last = start + length - 1
                guard last <= run.upperBound, (start...last).allSatisfy({ isDigit(text[$0]) }),
                    last == run.upperBound || !isDigit(text[last + 1])
                else { return nil }
                start = last + 2
            }
            return last
        }
        var found = 0
        var start = run.lowerBound
        while start <= run.upperBound {
            let group = end(of: start)
            let length = group - start + 1
            var last = isCardNumber(start...group, length, of: text) ? group : nil
            for layout in layouts where last == nil && layout[0] == length {
                guard let end = end(of: layout, from: start), isCardNumber(start...end, layout.reduce(0, +), of: text)
                else { continue }
                last = end
            }
            if last != nil { found += 1 }
            start = (last ?? group) + 2
        }
        return found
    }

    private static func isCardNumber(_ places: ClosedRange<Int>, _ digits: Int, of text: Span<UInt8>) -> Bool {
        let (first, last) = (places.lowerBound, places.upperBound)
        guard (fewest...19).contains(digits), first == 0 || !isWord(text[first - 1]),
            last + 1 == text.count || !isWord(text[last + 1])
        else { return false }
        var number: [UInt8] = []
        for place in places where isDigit(text[place]) { number.append(text[place]) }
        // Of a hundred random numbers three pass the first two, so that the others are seldom asked.
        guard passesLuhn(number), let network = CardNetwork(cardNumber: number) else { return false }
        return !isPhoneNumber(number, network, at: first, of: text) && !isInIdentifier(places, of: text)
    }

    /// Whether it is written as an international telephone number: a plus sign and at most 15 digits (ITU-T E.164). A form
    /// writes a space as a plus sign: behind a name or a word it is one. Where 15 digits are a whole card number, they are
    /// one.
    private static func isPhoneNumber(
        _ digits: [UInt8], _ network: CardNetwork, at first: Int, of text: Span<UInt8>
    ) -> Bool {
        guard digits.count <= 15, network != .amex, first > 0, text[first - 1] == UInt8(ascii: "+") else {
            return false
        }
        return first == 1 || text[first - 2] != UInt8(ascii: "=") && !isWord(text[first - 2])
    }

    /// Identifiers with groups of hexadecimal digits, by the lengths of the groups: of many thousands, some have groups
    /// without letters that pass for a card number.
    private static let identifiers = [
        // `traceparent`, which every record has (W3C Trace Context, 3.2).
        [2, 32, 16, 2],
        // A UUID (RFC 9562, 4).
        [8, 4, 4, 4, 12],
    ]

    private static func isInIdentifier(_ digits: ClosedRange<Int>, of text: Span<UInt8>) -> Bool {
        identifiers.contains { groups in
            let length = groups.reduce(groups.count - 1, +)
            let earliest = max(0, digits.upperBound + 1 - length)
            let latest = min(digits.lowerBound, text.count - length)
            return earliest <= latest
                && (earliest...latest).contains { start in
                    // A byte of its length may stand before it, and look like a letter or digit.
                    (start < 2 || !isWord(text[start - 2]))
                        && (start + length == text.count || !isWord(text[start + length]))
                        && hasShape(groups, at: start, of: text)
                }
        }
    }

    private static func hasShape(_ groups: [Int], at start: Int, of text: Span<UInt8>) -> Bool {
        var place = start
        for (index, length) in groups.enumerated() {
            if index > 0 {
                guard text[place] == UInt8(ascii: "-") else { return false }
                place += 1
            }
            for _ in 0..<length {
                guard isHexadecimal(text[place]) else { return false }
                place += 1
            }
        }
        return true
    }

    /// The smallest number of digits of a card number.
    private static let fewest = 13

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }

    /// Letters and digits: a run beside one is part of an identifier, not a number of its own.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }

    private static func passesLuhn(_ digits: [UInt8]) -> Bool {
        var sum = 0
        for place in digits.indices {
            let digit = Int(digits[place] - 0x30)
            // Every second digit from the right, beginning with the last but one.
            let isDoubled = (digits.count - place) % 2 == 0
            sum += isDoubled ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
        }
        return sum % 10 == 0
    }
}
