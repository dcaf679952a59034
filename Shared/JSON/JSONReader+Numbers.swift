extension JSONReader {
    /// Reads an integer exactly: no fraction, no exponent, no `-0`, and within 64 bits.
    public mutating func int64() throws(JSONError) -> Int64 {
        skipSpace()
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var value: Int64 = 0
        while let byte = current, byte &- 0x30 < 10 {
            // Built below zero, where the range is one larger.
            let (shifted, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, underflow) = shifted.subtractingReportingOverflow(Int64(byte &- 0x30))
            if overflow || underflow { throw error(.range, "the integer does not fit 64 bits") }
            value = next
            position += 1
        }
        guard position > first else {
            position = start
            throw mismatch("an integer")
        }
        if bytes[first] == 0x30, position > first + 1 { throw error(.syntax, "numbers have no leading zeros") }
        switch current {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
            throw error(.type, "an integer without fraction and exponent is expected")
        default: break
        }
        if isNegative {
            if value == 0 { throw error(.value, "-0 is not an integer") }
            return value
        }
        guard value > .min else { throw error(.range, "the integer does not fit 64 bits") }
        return -value
    }

    /// Reads an integer that is within `range`.
    public mutating func int(in range: ClosedRange<Int> = .min ... .max) throws(JSONError) -> Int {
        let value = Int(try int64())
        guard range.contains(value) else {
            throw error(.range, "the integer must be from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Reads any number and gives its text, which is ASCII in the grammar of RFC 8259.
    public mutating func number() throws(JSONError) -> String {
        skipSpace()
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let first = position
        guard digits() > 0 else {
            position = start
            switch current {
            case UInt8(ascii: "-"): throw error(.syntax, "a digit is expected")
            default: throw mismatch("a number")
            }
        }
        if bytes[first] == 0x30, position > first + 1 { throw error(.syntax, "numbers have no leading zeros") }
        if current == UInt8(ascii: ".") {
            position += 1
            if digits() == 0 { throw error(.syntax, "a digit is expected after the point") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            if digits() == 0 { throw error(.syntax, "a digit is expected in the exponent") }
        }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// Passes digits and counts them.
    private mutating func digits() -> Int {
        let start = position
        while let byte = current, byte &- 0x30 < 10 { position += 1 }
        return position - start
    }
}
