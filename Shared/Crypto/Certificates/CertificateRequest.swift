import COrchardOpenSSL

/// A request for a certificate (PKCS#10, RFC 2986), signed with SHA-256.
public enum CertificateRequest {
    /// The most bytes of a common name (X.520).
    public static let maximumName = 64

    /// The request in PEM.
    ///
    /// - Parameter commonName: 1 to ``maximumName`` bytes.
    public static func pem(commonName: String, key: P256PrivateKey) throws(CryptoError) -> String {
        try pem(commonName, key.handle)
    }

    /// The request in PEM.
    public static func pem(commonName: String, key: RSAPrivateKey) throws(CryptoError) -> String {
        try pem(commonName, key.handle)
    }

    private static func pem(_ commonName: String, _ key: KeyHandle) throws(CryptoError) -> String {
        let name = Array(commonName.utf8)
        guard (1...maximumName).contains(name.count) else {
            throw CryptoError(.input, "a common name has 1 to \(maximumName) bytes")
        }
        let request = X509_REQ_new()
        defer { X509_REQ_free(request) }
        guard X509_REQ_set_version(request, 0) == 1,
            X509_NAME_add_entry_by_NID(
                X509_REQ_get_subject_name(request), NID_commonName, MBSTRING_UTF8, name, Int32(name.count), -1, 0) == 1,
            X509_REQ_set_pubkey(request, key.pointer) == 1,
            X509_REQ_sign(request, key.pointer, Algorithm.sha256.pointer) > 0
        else { throw .openSSL(.library, "the certificate signing request cannot be made") }
        return PEM.write { PEM_write_bio_X509_REQ($0, request) }
    }
}
