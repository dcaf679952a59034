extension JSONReader {
    /// The next byte, or nil at the end.
    var current: UInt8? {
        position < bytes.count ? bytes[position] : nil
    }

    /// Skips the four white space characters of RFC 8259, and no others.
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Skips white space, then consumes the character if it is the next one.
    mutating func consume(_ character: UInt8) -> Bool {
        skipSpace()
        guard current == character else { return false }
        position += 1
        return true
    }

    /// Consumes one of the words `true`, `false`, `null` if it is the next.
    mutating func consume(word: StaticString) -> Bool {
        guard follows(word) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    func follows(_ word: StaticString) -> Bool {
        bytes.dropFirst(position).starts(with: word.description.utf8)
    }
}

extension JSONReader {
    /// Consumes any value and returns its text, checked as if it had been read: for a part that another reader parses.
    public mutating func raw() throws(JSONError) -> [UInt8] {
        skipSpace()
        let start = position
        try skip()
        return Array(bytes[start..<position])
    }
}
