import OrchardCrypto
import OrchardJOSE

/// A JWKS file to which commands add keys, and from which they remove keys.
public struct StoredKeySet: Sendable {
    /// Whether a set holds public or private keys. A set never holds both, so that confusing two files publishes no
    /// private key.
    public enum Halves: Sendable {
        case publicOnly
        case withPrivate

        /// - Throws: ``KeyFileError`` `.content` when the set holds a key of the other kind.
        func check(_ set: JWKSet, at path: String) throws(KeyFileError) {
            switch self {
            case .publicOnly where set.keys.contains { $0.privateKey != nil }:
                throw KeyFileError(
                    .content, path, "holds private keys, but this set is for others to read; are two files mixed up?")
            case .withPrivate where set.keys.contains { $0.privateKey == nil }:
                throw KeyFileError(
                    .content, path, "holds a key without its private half; are two files mixed up?")
            default: break
            }
        }
    }

    public let file: KeyFile
    public let halves: Halves

    public init(_ file: KeyFile, _ halves: Halves) {
        self.file = file
        self.halves = halves
    }

    /// The keys in the order of the file; nil when there is no file.
    ///
    /// - Throws: ``KeyFileError`` `.unreadable`, or `.content` when writing the set again would lose or publish a key.
    public func read() throws(KeyFileError) -> [JWK]? {
        let json: SecretBytes
        do throws(KeyFileError) {
            json = try file.readSecret(isPrivate: false)
        } catch {
            if error.code == .missing { return nil }
            throw error
        }
        let set: JWKSet
        do throws(JOSEError) {
            set = try json.withBytes { bytes throws(JOSEError) in try JWKSet(json: bytes) }
        } catch {
            throw KeyFileError(.content, file.path, error.reason)
        }
        guard set.passedOver == 0 else {
            throw wrong("holds keys of other kinds than EC on P-256; give Orchard a file of its own")
        }
        try halves.check(set, at: file.path)
        if halves == .withPrivate { try file.requirePrivate() }
        return set.keys
    }

    /// Replaces the file's keys with these; a public set gets them without their private halves.
    public func write(_ keys: [JWK]) throws(KeyFileError) {
        var json: SecretBytes
        do {
            let set = try JWKSet(keys)
            json = SecretBytes(taking: try (halves == .publicOnly ? set.withoutPrivateKeys : set).json())
        } catch {
            throw wrong("the keys cannot be written: \(error)")
        }
        json.append(0x0A)
        try json.withBytes { bytes throws(KeyFileError) in
            try file.replace(bytes, readers: halves == .publicOnly ? .everyone : .owner)
        }
    }

    private func wrong(_ reason: String) -> KeyFileError { KeyFileError(.content, file.path, reason) }
}
