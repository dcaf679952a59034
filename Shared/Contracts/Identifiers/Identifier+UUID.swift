extension Identifier {
    /// An identifier as a person gives it: 32 hex digits, or with the hyphens of a UUID (RFC 9562 4), as `psql` shows it.
    public init?(given text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
        self.init(parts.joined())
    }
}
