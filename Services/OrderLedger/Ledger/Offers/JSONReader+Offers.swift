import Contracts
import OrchardJSON

extension JSONReader {
    /// Reads an amount of at least zero: text with exactly the currency's decimals, such as `"12.50"`.
    ///
    /// No other form is taken. `100` is 1.00 to who counts minor units and 100.00 to who does not: a client that mixed
    /// them up would charge a hundred times too much.
    mutating func amount(in currency: Currency) throws(JSONError) -> Int64 {
        guard try kind() == .string else {
            throw error(.type, Money.decimalForm(in: currency) + "; nothing else is read")
        }
        let text = try string()
        guard let money = Money(decimal: text, currency: currency), money.minorUnits >= 0 else {
            throw error(.value, Money.decimalForm(in: currency) + ", and not below zero")
        }
        return money.minorUnits
    }
}

extension JSONReader {
    /// Reads an identifier: it may go into tickets and the journal, so it is plain.
    mutating func plainIdentifier() throws(JSONError) -> String {
        let text = try string(upTo: 64)
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isPlain else {
            throw error(.value, "an identifier is 1 to 64 letters, digits, dots, hyphens or underscores")
        }
        return text
    }

    /// Reads a text that gets a column of its own: PostgreSQL keeps no NUL character in a text.
    public mutating func columnText(upTo limit: Int) throws(JSONError) -> String {
        let text = try string(upTo: limit)
        guard !text.utf8.contains(0) else { throw error(.value, "a text has no NUL character (U+0000)") }
        return text
    }

    /// Reads an address that begins with `https://` and has a host.
    public mutating func secureURL() throws(JSONError) -> String {
        let text = try string(upTo: 512)
        let rest = text.utf8.dropFirst(8)
        guard text.hasPrefix("https://"), let first = rest.first, first != UInt8(ascii: "/"),
            rest.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else { throw error(.value, "an https address is expected") }
        return text
    }

    /// Reads an array of at most `limit` elements.
    mutating func list<Element>(
        upTo limit: Int, _ read: (inout JSONReader) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        var elements: [Element] = []
        try array { reader throws(JSONError) in
            guard elements.count < limit else { throw reader.error(.size, "at most \(limit) elements are allowed") }
            elements.append(try read(&reader))
        }
        return elements
    }
}
