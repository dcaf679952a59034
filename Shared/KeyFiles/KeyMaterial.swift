import OrchardCrypto

/// What a file of keys holds: a private key, certificates, or both.
///
/// PEM, DER (PKCS#8 or a certificate) and PKCS#12 are told apart by their first bytes.
public struct KeyMaterial: ~Copyable {
    private static let privateKey = Array("PRIVATE KEY-----".utf8)

    /// In PEM; empty when the file has no private key.
    public let privateKeyPEM: SecretBytes
    /// Of a PKCS#12 file only the certificate of its key.
    public let certificates: [X509Certificate]

    /// - Parameter password: of a PKCS#12 file; else it is not used.
    /// - Throws: `CryptoError` when the file is of no such kind, or cannot be read.
    public init(_ content: borrowing SecretBytes, password: borrowing SecretBytes) throws(CryptoError) {
        var key = SecretBytes()
        var found: [X509Certificate] = []
        switch content.withBytes({ DERForm($0) }) {
        case .certificate:
            // A copy: a certificate keeps its bytes, and those of the content are wiped.
            found = [try content.withBytes { bytes throws(CryptoError) in try X509Certificate(der: bytes.map(\.self)) }]
        case .privateKey:
            key = try content.withBytes { bytes throws(CryptoError) in try PrivateKeyInfo.pem(der: bytes) }
        case .pkcs12:
            let bundle = try content.withBytes { bytes throws(CryptoError) in
                try PKCS12(bytes, password: password)
            }
            key = bundle.privateKeyPEM.copy()
            found = bundle.certificate.map { [$0] } ?? []
        case nil:
            if content.withBytes({ $0.contains(Self.privateKey) }) { key = content.copy() }
            found = try content.withBytes { bytes throws(CryptoError) in try X509Certificate.all(inPEM: bytes) }
            guard !key.isEmpty || !found.isEmpty else {
                throw CryptoError(.key, "this is neither a key nor a certificate, in PEM, DER or PKCS#12")
            }
        }
        privateKeyPEM = key
        certificates = found
    }
}

extension KeyFile {
    /// The password in a file of its own, without the line's end.
    ///
    /// - Throws: ``KeyFileError``, also when others may read the file.
    public func readPassword() throws(KeyFileError) -> SecretBytes {
        try readPrivate().withBytes { bytes in
            var password = bytes[...]
            while let last = password.last, last == 0x0A || last == 0x0D { password.removeLast() }
            return SecretBytes(copying: password)
        }
    }

    /// The content of a file whose kind is not known, in memory that is wiped; its mode is not checked.
    public func readUnchecked() throws(KeyFileError) -> SecretBytes {
        try readSecret(isPrivate: false)
    }
}
