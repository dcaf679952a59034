import COrchardOpenSSL

/// PEM in and out of OpenSSL's structures.
enum PEM {
    /// Lends a reader over the text; OpenSSL skips what stands before a block.
    static func read<Result>(_ text: String, _ body: (OpaquePointer?) -> Result) -> Result {
        var text = text
        return text.withUTF8 { bytes in
            let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { BIO_free(bio) }
            return body(bio)
        }
    }

    /// The text that `write` leaves in a memory BIO.
    static func write(_ body: (OpaquePointer?) -> Int32) -> String {
        let bio = BIO_new(BIO_s_secmem())
        defer { BIO_free(bio) }
        var start: UnsafeMutablePointer<CChar>?
        guard body(bio) == 1 else { return "" }
        let count = orchard_bio_memory(bio, &start)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The first private key of the text: PKCS#8 or the traditional forms, not encrypted.
    static func privateKey(_ text: String) throws(CryptoError) -> KeyHandle {
        // Without a callback OpenSSL would ask for a passphrase on the terminal.
        let pointer = read(text) { PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) }
        guard let key = KeyHandle(owning: pointer) else {
            throw .openSSL(.key, "this is no private key in PEM, or it is encrypted; give it as plain PKCS#8")
        }
        return key
    }
}
