import OrchardCrypto
import OrchardJSON

extension JSONReader {
    /// Reads an identifier: 32 lower-case hex digits.
    @inlinable
    public mutating func identifier<Kind>() throws(JSONError) -> Identifier<Kind> {
        if let identifier = plain({ Identifier<Kind>(digits: $0) }) { return identifier }
        guard let identifier = Identifier<Kind>(try string(upTo: 32)) else {
            throw error(.value, "32 lower-case hex digits are expected")
        }
        return identifier
    }

    /// Reads a currency: a three-letter code of ISO 4217.
    public mutating func currency() throws(JSONError) -> Currency {
        guard let currency = Currency(try string(upTo: 3)) else {
            throw error(.value, "a currency code of ISO 4217 is expected")
        }
        return currency
    }

    /// Reads a time: RFC 3339.
    public mutating func timestamp() throws(JSONError) -> Timestamp {
        if let time = plain({ $0.count <= 40 ? Timestamp(rfc3339: $0) : nil }) { return time }
        guard let time = Timestamp(rfc3339: try string(upTo: 40)) else {
            throw error(.value, "a time as in 2026-11-21T14:03:07Z is expected")
        }
        return time
    }

    /// Reads `count` bytes written in hex.
    public mutating func hex(bytes count: Int) throws(JSONError) -> [UInt8] {
        if let bytes = plain({ $0.count == 2 * count ? Hex.decode($0) : nil }) { return bytes }
        guard let bytes = Hex.decode(try string(upTo: 2 * count)), bytes.count == count else {
            throw error(.value, "\(count) bytes in hex are expected")
        }
        return bytes
    }

    /// Reads a compact JWS or JWE: base64url and dots.
    mutating func compactForm() throws(JSONError) -> String {
        let text = try string()
        let isCompact = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isCompact else { throw error(.value, "a compact JWS or JWE is expected") }
        return text
    }

    /// Reads a raw value of an enumeration.
    public mutating func word<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type = Word.self
    ) throws(JSONError) -> Word where Word.RawValue == String {
        guard let word = Word(rawValue: try string(upTo: 64)) else {
            throw error(.value, "one of \(Word.allCases.map(\.rawValue).joined(separator: ", ")) is expected")
        }
        return word
    }

    /// Reads an amount of at least zero minor units.
    public mutating func minorUnits() throws(JSONError) -> Int64 {
        let units = try int64()
        guard units >= 0 else { throw error(.range, "an amount of at least zero minor units is expected") }
        return units
    }
}
