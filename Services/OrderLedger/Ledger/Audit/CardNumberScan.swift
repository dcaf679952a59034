import Contracts

/// Looks for what could be a card number: proof that the books hold none.
public enum CardNumberScan {
    /// How many card numbers `text` may hold: 13 to 19 digits, perhaps in groups, that stand alone, begin like a card of
    /// a network (ISO/IEC 7812) and end in the right check digit (Luhn, ISO/IEC 7812-1 annex B).
    public static func count(in text: [UInt8]) -> Int {
        var found = 0
        var digits: [UInt8] = []
        var before: UInt8 = 0
        var previous: UInt8 = 0
        func close(_ next: UInt8) {
            if (13...19).contains(digits.count), !isWord(before), !isWord(next), CardNetwork(cardNumber: digits) != nil,
                passesLuhn(digits)
            {
                found += 1
            }
        }
        for byte in text {
            if isDigit(byte) {
                if digits.isEmpty { before = previous }
                digits.append(byte)
            } else if !digits.isEmpty, !(isSeparator(byte) && isDigit(previous)) {
                // A separator at the end belongs to what follows.
                close(isSeparator(previous) ? previous : byte)
                digits = []
            }
            previous = byte
        }
        if !digits.isEmpty { close(0) }
        return found
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }

    /// Letters and digits: a run beside one is part of an identifier, not a number of its own.
    private static func isWord(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }

    private static func passesLuhn(_ digits: [UInt8]) -> Bool {
        let sum = digits.reversed().enumerated().reduce(0) { sum, pair in
            let digit = Int(pair.element - 0x30)
            guard pair.offset % 2 == 1 else { return sum + digit }
            return sum + (digit > 4 ? digit * 2 - 9 : digit * 2)
        }
        return sum % 10 == 0
    }
}
