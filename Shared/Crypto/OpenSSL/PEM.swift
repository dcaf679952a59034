import COrchardOpenSSL

/// PEM in and out of OpenSSL's structures.
enum PEM {
    /// The text of public data that `body` writes into a memory BIO.
    static func write(_ body: (OpaquePointer?) -> Int32) -> String {
        writeSecret(body).withBytes { String(decoding: $0, as: UTF8.self) }
    }

    /// The text that `body` writes into a memory BIO, which is wiped when it is freed.
    static func writeSecret(_ body: (OpaquePointer?) -> Int32) -> SecretBytes {
        let bio = BIO_new(BIO_s_secmem())
        defer { BIO_free(bio) }
        var start: UnsafeMutablePointer<CChar>?
        guard body(bio) == 1 else { return SecretBytes() }
        let count = orchard_bio_memory(bio, &start)
        return SecretBytes(taking: Array(UnsafeRawBufferPointer(start: start, count: count)))
    }

    /// The first private key of the text: PKCS#8 or the traditional forms, not encrypted.
    static func privateKey(_ text: borrowing SecretBytes) throws(CryptoError) -> KeyHandle {
        let pointer = text.withBytes { bytes in
            let bio = BIO_new_mem_buf(bytes, Int32(clamping: bytes.count))
            defer { BIO_free(bio) }
            // Without a callback OpenSSL would ask for a passphrase on the terminal.
            return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key = KeyHandle(owning: pointer) else {
            throw .openSSL(.key, "this is no private key in PEM, or it is encrypted; give it as plain PKCS#8")
        }
        return key
    }
}
