import COrchardOpenSSL

/// A private key with its certificate from a PKCS#12 file (`.p12`, `.pfx`; RFC 7292), as Keychain Access exports it.
public struct PKCS12: ~Copyable, Sendable {
    /// The key in PKCS#8 PEM, as secret as the key.
    public let privateKeyPEM: SecretBytes
    /// The certificate of that key; nil when the file has none.
    public let certificate: X509Certificate?

    /// Whether a file is PKCS#12: it begins with a SEQUENCE whose first element is the version 3.
    public static func isForm(of bytes: some Collection<UInt8>) -> Bool {
        DERForm(bytes) == .pkcs12
    }

    /// Opens a file.
    ///
    /// - Throws: ``CryptoError`` `.authentication` for a wrong password, `.input` for another form and for a file that
    ///   would take too long to open, `.key` and `.certificate` for what is inside.
    public init(_ bytes: [UInt8], password: borrowing SecretBytes) throws(CryptoError) {
        let form = try PKCS12Form(bytes)
        guard Self.verify(form, password) else {
            throw CryptoError(
                .authentication, "the password of the PKCS#12 file is another one, or the file is damaged")
        }
        var contents = Contents()
        try contents.add(form.bags, password)
        var iterations = form.iterations
        for safe in form.encrypted {
            let opened = try Self.open(safe, password)
            try opened.withBytes { bytes throws(CryptoError) in
                let bags = try PKCS12Form.bags(in: bytes[...])
                iterations += PKCS12Form.iterations(of: bags)
                try PKCS12Form.requireBounded(iterations)
                try contents.add(bags, password)
            }
        }
        guard let key = contents.key else { throw CryptoError(.key, "the PKCS#12 file has no private key") }
        let publicKey = key.subjectPublicKeyInfo
        var own: X509Certificate?
        for der in contents.certificates {
            // A chain may hold a certificate that is not read here; only the key's own counts.
            guard let certificate = try? X509Certificate(der: der) else { continue }
            if certificate.publicKey.subjectPublicKeyInfo == publicKey { own = certificate }
        }
        certificate = own
        privateKeyPEM = key.pem
    }

    /// What was found in the bags.
    private struct Contents: ~Copyable {
        var key: KeyHandle?
        var certificates: [[UInt8]] = []

        mutating func add(_ bags: [PKCS12Form.Bag], _ password: borrowing SecretBytes) throws(CryptoError) {
            for bag in bags {
                switch bag {
                case .certificate(let der): certificates.append(Array(der))
                case .key(let der): try take(PrivateKeyInfo.key(der))
                case .encryptedKey(let encryption):
                    let opened = try PKCS12.open(encryption, password)
                    try take(opened.withBytes { bytes throws(CryptoError) in try PrivateKeyInfo.key(bytes[...]) })
                }
            }
        }

        private mutating func take(_ found: KeyHandle) throws(CryptoError) {
            guard key == nil else {
                throw CryptoError(.key, "the PKCS#12 file has several private keys; export the one that is meant")
            }
            key = found
        }
    }

    private static func verify(_ form: PKCS12Form, _ password: borrowing SecretBytes) -> Bool {
        guard let hash = EVP_get_digestbyname(form.mac.hash) else { return false }
        let size = Int(EVP_MD_get_size(hash))
        var key = [UInt8](repeating: 0, count: size)
        var salt = Array(form.mac.salt)
        let isDerived = password.withCharacters { characters, count in
            // 3 is the purpose of a MAC key (RFC 7292 appendix B.3).
            PKCS12_key_gen_utf8(
                characters, count, &salt, Int32(salt.count), 3, Int32(form.mac.iterations), Int32(size), &key, hash)
        }
        defer {
            SecretBytes.wipe(key)
            ERR_clear_error()
        }
        var digest = [UInt8](repeating: 0, count: size)
        let content = Array(form.content)
        guard isDerived == 1, HMAC(hash, key, Int32(size), content, content.count, &digest, nil) != nil else {
            return false
        }
        return constantTimeEquals(digest, Array(form.mac.digest))
    }

    private static func open(
        _ encryption: PasswordEncryption, _ password: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        let algorithm = DER.decode(
            Array(encryption.algorithm), { d2i_X509_ALGOR(nil, $0, $1) }, free: { X509_ALGOR_free($0) })
        defer { X509_ALGOR_free(algorithm) }
        let ciphertext = Array(encryption.ciphertext)
        var plaintext: UnsafeMutablePointer<UInt8>?
        var count: Int32 = 0
        let result = password.withCharacters { characters, length in
            PKCS12_pbe_crypt_ex(
                algorithm, characters, length, ciphertext, Int32(ciphertext.count), &plaintext, &count, 0,
                OldCiphers.shared.context, nil)
        }
        guard result != nil, let plaintext else {
            throw .openSSL(
                .input,
                "a part of the PKCS#12 file cannot be decrypted; export it again, with openssl pkcs12 and AES if it is old"
            )
        }
        defer { orchard_clear_free(plaintext, Int(count)) }
        return SecretBytes(copying: UnsafeBufferPointer(start: plaintext, count: Int(count)))
    }
}

/// OpenSSL with its ciphers of old files: macOS encrypts certificates with RC2. Apart from the rest of the program, so that
/// nothing else can use them.
private struct OldCiphers: @unchecked Sendable {
    // @unchecked: a library context may be used by several threads (openssl-threads(7)); it is never freed.
    let context: OpaquePointer?

    static let shared = OldCiphers()

    private init() {
        context = OSSL_LIB_CTX_new()
        // Where "legacy" is not installed, only files with RC2 cannot be opened.
        for name in ["default", "legacy"] { OSSL_PROVIDER_load(context, name) }
        ERR_clear_error()
    }
}

extension SecretBytes {
    /// Lends the bytes as C characters without a terminator.
    fileprivate borrowing func withCharacters<Result>(_ body: (UnsafePointer<CChar>?, Int32) -> Result) -> Result {
        withBytes { bytes in
            bytes.withUnsafeBytes { body($0.bindMemory(to: CChar.self).baseAddress, Int32(clamping: $0.count)) }
        }
    }
}
