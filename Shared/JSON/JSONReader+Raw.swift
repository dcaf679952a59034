extension JSONReader {
    /// Consumes any value and returns its text, checked as if it had been read: for a part that another reader parses.
    public mutating func raw() throws(JSONError) -> [UInt8] {
        skipSpace()
        let start = position
        try skip()
        return Array(bytes[start..<position])
    }
}
