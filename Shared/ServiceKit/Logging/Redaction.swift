/// The second protection of the log: masks what looks like a card number, a compact JWS or JWE, or a private key.
///
/// The first protection is not to log such things at all.
enum Redaction {
    /// The text with a note in brackets instead of every such part.
    static func mask(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard needsScan(bytes) else { return text }
        var masked: [UInt8] = []
        masked.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            let atStart = position == 0 || !isAlphanumeric(bytes[position - 1])
            if let end = keyEnd(bytes, position) {
                masked += "[key]".utf8
                position = end
            } else if atStart, let end = tokenEnd(bytes, position) {
                masked += "[token]".utf8
                position = end
            } else if atStart, let end = cardNumberEnd(bytes, position) {
                masked += "[card number]".utf8
                position = end
            } else {
                masked.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: masked, as: UTF8.self)
    }

    /// Most lines hold neither 13 digits nor the beginning of a token or key.
    private static func needsScan(_ bytes: [UInt8]) -> Bool {
        var digits = 0
        for (index, byte) in bytes.enumerated() {
            if isDigit(byte) { digits += 1 }
            if digits >= 13 || starts(bytes, index, "eyJ") || starts(bytes, index, "-----BEGIN") { return true }
        }
        return false
    }

    /// The end of `-----BEGIN … KEY-----` up to its `-----END … -----`, or the end of the text.
    private static func keyEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard starts(bytes, start, "-----BEGIN") else { return nil }
        var position = start
        while position < bytes.count, !starts(bytes, position, "-----END") { position += 1 }
        var dashes = 0
        while position < bytes.count, dashes < 10 {
            if bytes[position] == UInt8(ascii: "-") { dashes += 1 }
            position += 1
        }
        return position
    }

    /// The end of three or five base64url parts with dots between, of which the first begins with a JSON object's
    /// `eyJ`.
    private static func tokenEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        guard starts(bytes, start, "eyJ") else { return nil }
        var position = start
        var dots = 0
        while position < bytes.count, isWord(bytes[position]) || bytes[position] == UInt8(ascii: ".") {
            if bytes[position] == UInt8(ascii: ".") { dots += 1 }
            position += 1
        }
        return dots >= 2 ? position : nil
    }

    /// The end of 13 to 19 digits that pass Luhn's check, alone or in groups with one space or dash between.
    private static func cardNumberEnd(_ bytes: [UInt8], _ start: Int) -> Int? {
        var digits: [Int] = []
        var position = start
        var longest: Int?
        while position < bytes.count, digits.count <= 19 {
            if isDigit(bytes[position]) {
                digits.append(Int(bytes[position] - UInt8(ascii: "0")))
            } else if !isSeparator(bytes, position) {
                break
            }
            position += 1
            let ends = position == bytes.count || !isAlphanumeric(bytes[position])
            if ends, isDigit(bytes[position - 1]), looksLikeCardNumber(digits) { longest = position }
        }
        return longest
    }

    private static func looksLikeCardNumber(_ digits: [Int]) -> Bool {
        // 2 (Mastercard's second range) to 6, and UnionPay's 81: most times and offsets stay readable.
        guard (13...19).contains(digits.count), (2...6).contains(digits[0]) || digits.starts(with: [8, 1]) else {
            return false
        }
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() {
            let doubled = index.isMultiple(of: 2) ? digit : digit * 2
            sum += doubled > 9 ? doubled - 9 : doubled
        }
        return sum.isMultiple(of: 10)
    }

    private static func isSeparator(_ bytes: [UInt8], _ position: Int) -> Bool {
        guard bytes[position] == UInt8(ascii: " ") || bytes[position] == UInt8(ascii: "-"), position > 0 else {
            return false
        }
        return isDigit(bytes[position - 1]) && position + 1 < bytes.count && isDigit(bytes[position + 1])
    }

    private static func starts(_ bytes: [UInt8], _ position: Int, _ prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard position + count <= bytes.count else { return false }
        return prefix.withUTF8Buffer { prefix in prefix.indices.allSatisfy { bytes[position + $0] == prefix[$0] } }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isWord(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit(byte)
        }
    }
}
