import OrchardJOSE

/// What has changed from one reading of a key set to the next; pure.
enum KeySetChange {
    /// The keys by their identifiers, for the log; nil when they are the same.
    static func text(from old: JWKSet, to new: JWKSet) -> String? {
        let parts = [
            ("new", new.keys.filter { old[$0.keyID] == nil }), ("gone", old.keys.filter { new[$0.keyID] == nil }),
            ("changed", new.keys.filter { key in old[key.keyID].map { !isSame($0, key) } ?? false }),
        ]
        let text = parts.filter { !$1.isEmpty }.map { "\($0): \($1.map(\.keyID).joined(separator: ", "))" }
        return text.isEmpty ? nil : "its keys have changed; \(text.joined(separator: "; "))"
    }

    private static func isSame(_ one: JWK, _ other: JWK) -> Bool {
        one.publicKey == other.publicKey && one.notBefore == other.notBefore && one.expires == other.expires
    }
}
