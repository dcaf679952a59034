import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// Where a new ticket key goes: its private half to a file of its own, its public half to the set that all services read.
struct TicketKeyFiles {
    let key: KeyFile
    let set: StoredKeySet

    init(key: String, set: String) {
        self.key = KeyFile(key)
        self.set = StoredKeySet(KeyFile(set), .publicOnly)
    }

    /// Makes a key and adds it to the set, whose other keys stay.
    ///
    /// - Returns: the key's `kid`.
    /// - Throws: `KeyFileError`; then both files are as they were.
    func add() throws -> String {
        try set.file.locked {
            let others = try set.read() ?? []
            let fresh = try P256PrivateKey.generate()
            let keyID = JWK.thumbprint(of: fresh.publicKey)
            try fresh.pem.withBytes { pem throws(KeyFileError) in try key.create(pem, readers: .owner) }
            do {
                try set.write(others + [JWK(keyID: keyID, publicKey: fresh.publicKey)])
            } catch {
                key.remove()
                throw error
            }
            return keyID
        }
    }
}
