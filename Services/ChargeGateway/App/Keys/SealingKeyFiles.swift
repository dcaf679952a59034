import Contracts
import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// The two sets of sealing keys: the gateway's own with private halves, and token-ingest's without.
struct SealingKeyFiles {
    let privateSet: StoredKeySet
    let publicSet: StoredKeySet

    init(privateSet: String, publicSet: String) {
        self.privateSet = StoredKeySet(KeyFile(privateSet), .withPrivate)
        self.publicSet = StoredKeySet(KeyFile(publicSet), .publicOnly)
    }

    /// Makes a key pair and adds it to both sets, whose other keys stay.
    ///
    /// The private set comes first: nobody ever seals to a key that the gateway lacks.
    ///
    /// - Parameter start: first second of sealing; nil: by ``SealingLife/start(after:now:)``.
    func add(start: Timestamp?, now: Timestamp) throws -> JWK {
        try privateSet.file.locked {
            let own = try privateSet.read() ?? []
            let published = try publicSet.read() ?? []
            let start = start ?? SealingLife.start(after: published, now: now)
            let pair = try P256PrivateKey.generate()
            let key = JWK(
                keyID: JWK.thumbprint(of: pair.publicKey), privateKey: pair, notBefore: start.seconds,
                expires: (start + SealingLife.sealing).seconds)
            try privateSet.write(own + [key])
            try publicSet.write(published + [key])
            return key
        }
    }

    /// Takes keys whose opening life is over out of both sets; the public one first, for the reason above.
    ///
    /// - Returns: the identifiers of the private keys that are destroyed.
    func prune(now: Timestamp) throws -> [String] {
        try privateSet.file.locked {
            let own = try Self.present(privateSet)
            let published = try Self.present(publicSet)
            let rest = published.filter { !SealingLife.isOver($0, now: now) }
            if rest.count < published.count { try publicSet.write(rest) }
            let over = own.filter { SealingLife.isOver($0, now: now) }.map(\.keyID)
            if !over.isEmpty { try privateSet.write(own.filter { !over.contains($0.keyID) }) }
            return over
        }
    }

    /// A wrong path must not look as if there were nothing to destroy.
    private static func present(_ set: StoredKeySet) throws(KeyFileError) -> [JWK] {
        guard let keys = try set.read() else {
            throw KeyFileError(.missing, set.file.path, "does not exist; name the file that the services read")
        }
        return keys
    }
}
