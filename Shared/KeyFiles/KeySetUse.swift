import OrchardCrypto
import OrchardJOSE

/// What a service does with a key set. It is tried once with every key when the file is read, so that a wrong file is
/// refused with a reason, and does not make each payment fail while `/readyz` is green.
public enum KeySetUse: Sendable {
    /// Verifies what another service signed: public keys.
    case verifying
    /// Seals for another service: public keys.
    case sealing
    /// Opens what another service sealed: private keys.
    case opening

    var halves: StoredKeySet.Halves { self == .opening ? .withPrivate : .publicOnly }

    /// - Throws: ``KeyFileError`` `.content` when the set cannot be used for this.
    func check(_ set: JWKSet, at path: String) throws(KeyFileError) {
        try halves.check(set, at: path)
        if self == .verifying, set.keys.isEmpty {
            throw KeyFileError(.content, path, "holds no key, so that nothing could be verified with it")
        }
        for key in set.keys where self != .verifying {
            do {
                try Self.exchange(with: key)
            } catch {
                throw KeyFileError(
                    .content, path,
                    "key \(key.keyID) does not \(self == .opening ? "open what it seals" : "seal"): \(error)")
            }
        }
    }

    /// Seals a probe, and opens it when the private key is available.
    private static func exchange(with key: JWK) throws {
        let probe = Array("probe".utf8)
        let sealed = try JWE.seal(
            SecretBytes(copying: probe), to: key.publicKey, keyID: key.keyID, apu: probe, apv: probe)
        guard let privateKey = key.privateKey else { return }
        let opened = try JWE.open(sealed, keys: { _ in privateKey }, apu: probe, apv: probe)
        guard opened.withBytes({ $0 == probe }) else {
            throw CryptoError(.key, "the probe came back changed")
        }
    }
}

extension Collection<JWK> {
    /// The end of the time in which some key is always in use.
    ///
    /// - Parameter time: seconds since 1970, at which the time begins.
    /// - Returns: the first second at which none is in use, `time` itself when none is now; nil: never.
    public func endOfUse(from time: Int64) -> Int64? {
        var end = time
        while let next = filter({ $0.isActive(at: end) }).map({ $0.expires ?? .max }).max() {
            if next == .max { return nil }
            end = next
        }
        return end
    }
}
