import Contracts
import OrchardCrypto
import OrchardJOSE

/// The two sets of sealing keys: the receiver's own with private halves, and token-ingest's without.
public struct SealingKeyFiles: Sendable {
    public let privateSet: StoredKeySet
    public let publicSet: StoredKeySet
    let use: SealingUse

    public init(_ use: SealingUse, privateSet: String, publicSet: String) {
        self.use = use
        self.privateSet = StoredKeySet(KeyFile(privateSet), .withPrivate)
        self.publicSet = StoredKeySet(KeyFile(publicSet), .publicOnly)
    }

    /// Makes a key pair and adds it to both sets, whose other keys stay.
    ///
    /// - Parameter start: first second of sealing; nil: by ``SealingKeyLifetime/start(after:now:)``.
    public func add(start: Timestamp?, now: Timestamp) throws -> JWK {
        try privateSet.file.locked {
            let (own, published) = (try privateSet.read() ?? [], try publicSet.read() ?? [])
            if let start, SealingKeyLifetime.isTooSoon(start, after: published, now: now) {
                throw KeyFileError(
                    .content, publicSet.file.path,
                    "the key would seal before every host has it; a key seals an hour after it was made, "
                        + "sooner only when no other does: leave --starts out, or name \(now + SealingKeyLifetime.lead) or later"
                )
            }
            return try make(start ?? SealingKeyLifetime.start(after: published, now: now), own, published)
        }
    }

    /// Takes keys whose opening life is over out of both sets.
    ///
    /// - Returns: the identifiers of the private keys that are destroyed.
    public func prune(now: Timestamp) throws -> [String] {
        try privateSet.file.locked { try destroy(try Self.present(privateSet), try Self.present(publicSet), now) }
    }

    /// Makes the next key when its day has come, and destroys what is over. Run again, or by two at once, it changes
    /// nothing more.
    public func rotate(now: Timestamp) throws -> (added: JWK?, destroyed: [String]) {
        try privateSet.file.locked {
            let (own, published) = (try privateSet.read() ?? [], try publicSet.read() ?? [])
            let known = Set(own.map(\.keyID))
            if let foreign = published.first(where: { !known.contains($0.keyID) }) {
                throw KeyFileError(
                    .content, publicSet.file.path,
                    "publishes key \(foreign.keyID), whose private half is not in \(privateSet.file.path): what is sealed "
                        + "to it cannot be opened; are the two sets of one folder?")
            }
            let added = try SealingKeyLifetime.next(after: published, now: now).map { try make($0, own, published) }
            let destroyed = try destroy(own + [added].compactMap(\.self), published + [added].compactMap(\.self), now)
            return (added, destroyed)
        }
    }

    /// The private set is written first: nobody seals to a key that its receiver lacks.
    private func make(_ start: Timestamp, _ own: [JWK], _ published: [JWK]) throws -> JWK {
        let pair = try P256PrivateKey.generate()
        let key = JWK(
            keyID: JWK.thumbprint(of: pair.publicKey), privateKey: pair, notBefore: start.seconds,
            expires: (start + SealingKeyLifetime.sealing).seconds)
        try privateSet.write(own + [key])
        try publicSet.write(published + [key])
        return key
    }

    /// The public set is written first, for the same reason.
    private func destroy(_ own: [JWK], _ published: [JWK], _ now: Timestamp) throws -> [String] {
        let rest = published.filter { !use.lifetime.isOver($0, now: now) }
        if rest.count < published.count { try publicSet.write(rest) }
        let over = own.filter { use.lifetime.isOver($0, now: now) }.map(\.keyID)
        if !over.isEmpty { try privateSet.write(own.filter { !over.contains($0.keyID) }) }
        return over
    }

    /// A wrong path must not look as if there were nothing to destroy.
    private static func present(_ set: StoredKeySet) throws(KeyFileError) -> [JWK] {
        guard let keys = try set.read() else {
            throw KeyFileError(.missing, set.file.path, "does not exist; name the file that the services read")
        }
        return keys
    }
}
