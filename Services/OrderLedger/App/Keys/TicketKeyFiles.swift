import KeyFiles
import OrchardCrypto
import OrchardJOSE

/// The files of a new ticket key: the private half gets its own file, the public half is added to the shared key set.
struct TicketKeyFiles {
    let key: KeyFile
    let set: StoredKeySet

    init(key: String, set: String) {
        self.key = KeyFile(key)
        self.set = StoredKeySet(KeyFile(set), .publicOnly)
    }

    /// Makes a key and adds it to the set. The other keys of the set stay.
    ///
    /// - Returns: the key's `kid`.
    /// - Throws: `KeyFileError`; then both files are unchanged.
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
