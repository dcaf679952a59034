import Contracts

/// Searches for possible card numbers, to prove that the books contain none.
public enum CardNumberScan {
    /// How many card numbers `text` may contain: 13 to 19 digits, perhaps in groups, that stand alone, begin like a
    /// card of a network (ISO/IEC 7812) and end in the right check digit (Luhn, ISO/IEC 7812-1 annex B).
    public static func count(in text: [UInt8]) -> Int { count(in: text.span) }

    /// The same for all parts of a record.
    public static func count(in record: JournalRecord) -> Int {
        count(in: record.key ?? []) + count(in: record.headerBytes) + count(in: record.value)
    }

    /// The same for lent bytes. Each byte is read once; digits are copied only from runs of the right length.
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
            guard (fewest...19).contains(digits), first == 0 || !isWord(text[first - 1]),
                last + 1 == text.count || !isWord(text[last + 1])
            else { continue }
            var number: [UInt8] = []
            for place in first...last where isDigit(text[place]) { number.append(text[place]) }
            if passesLuhn(number), CardNetwork(cardNumber: number) != nil { found += 1 }
        }
        return found
    }

    /// The smallest number of digits of a card number.
    private static let fewest = 13

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }

    /// Letters and digits: a run beside one is part of an identifier, not a number of its own.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
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
