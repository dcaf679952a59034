import OrchardCrypto
import OrchardJSON

/// A set of P-256 keys as a JSON file (RFC 7517 section 5): keys that sign tickets, or keys that data is sealed to.
public struct JWKSet: Sendable {
    /// The keys in the order of the file; no two have the same identifier.
    public private(set) var keys: [JWK]
    /// The number of keys of other kinds in the file, which are not part of this set.
    public private(set) var passedOver = 0

    /// - Throws: ``JOSEError`` `.key` when two keys have the same identifier.
    public init(_ keys: [JWK]) throws(JOSEError) {
        guard Set(keys.map(\.keyID)).count == keys.count else {
            throw JOSEError(.key, "two keys of the set have the same kid")
        }
        self.keys = keys
    }

    /// Reads a set; keys of other kinds than EC on P-256 are skipped.
    public init(json: [UInt8]) throws(JOSEError) {
        var found: [JWK]?
        var others = 0
        do throws(JSONError) {
            try JSONReader.read(json, maximumDepth: 16) { reader throws(JSONError) in
                try reader.object { reader, name throws(JSONError) in
                    guard name == "keys" else { return try reader.skip() }
                    var keys: [JWK] = []
                    try reader.array { reader throws(JSONError) in
                        if let key = try JWK(&reader) { keys.append(key) } else { others += 1 }
                    }
                    found = keys
                }
                found = try reader.required(found, "keys")
            }
        } catch {
            throw JOSEError(.key, "the key set: \(error.description)")
        }
        try self.init(found ?? [])
        passedOver = others
    }

    /// The key with that identifier.
    public subscript(keyID: String) -> JWK? {
        keys.first { $0.keyID == keyID }
    }

    /// The public keys by identifier, as ``JWS/verify(_:type:keys:maximumSize:)`` needs them: those in use at `time`,
    /// in seconds since 1970. A signature by a key that has ended (`exp`) or not begun (`nbf`) is not accepted.
    public func publicKeys(at time: Int64) -> [String: P256PublicKey] {
        let active = keys.filter { $0.isActive(at: time) }
        return Dictionary(active.map { ($0.keyID, $0.publicKey) }, uniquingKeysWith: { first, _ in first })
    }

    /// The set without private keys, for publication.
    public var withoutPrivateKeys: JWKSet {
        var set = self
        set.keys = keys.map(\.withoutPrivateKey)
        return set
    }

    /// The file's text, which is as secret as its private keys. With private keys, keep it in `SecretBytes`.
    public func json() throws(CryptoError) -> [UInt8] {
        // Room for the whole text: growth would leave copies of the keys behind.
        try JSONWriter.object(capacity: 64 + keys.reduce(0) { $0 + 512 + $1.keyID.utf8.count }) {
            object throws(CryptoError) in
            try object.array("keys") { array throws(CryptoError) in
                for key in keys {
                    try array.object { object throws(CryptoError) in try key.write(to: &object) }
                }
            }
        }
    }
}
