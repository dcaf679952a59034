import COrchardOpenSSL

/// A path from a certificate to one pinned root (RFC 5280 section 6), checked by OpenSSL's rules.
///
/// It checks names, signatures, validity, CA flags, keyUsage, path lengths and unknown critical extensions. It does not
/// check revocation or the purpose of the leaf.
public struct CertificateChain: Sendable {
    /// Trusted because it is pinned; the system's trusted certificates do not count.
    public let root: X509Certificate

    public init(root: X509Certificate) {
        self.root = root
    }

    /// Verifies that the path from `leaf` over `intermediates` ends at the root.
    ///
    /// - Parameters:
    ///   - time: Seconds since 1970 at which all certificates of the path must be valid.
    /// - Throws: ``CryptoError`` `.chain` with OpenSSL's reason.
    public func verify(
        _ leaf: X509Certificate, intermediates: [X509Certificate] = [], at time: Int64
    ) throws(CryptoError) {
        let store = X509_STORE_new()
        let context = X509_STORE_CTX_new()
        let untrusted = OPENSSL_sk_new_null()
        defer {
            X509_STORE_CTX_free(context)
            X509_STORE_free(store)
            OPENSSL_sk_free(untrusted)
        }
        for certificate in intermediates { OPENSSL_sk_push(untrusted, UnsafeRawPointer(certificate.pointer)) }
        guard X509_STORE_add_cert(store, root.pointer) == 1,
            X509_STORE_CTX_init(context, store, leaf.pointer, untrusted) == 1
        else { throw .openSSL(.library, "the chain cannot be checked") }
        X509_STORE_CTX_set_time(context, 0, time_t(time))
        let result = withExtendedLifetime(intermediates) { X509_verify_cert(context) }
        guard result == 1 else {
            let words = X509_verify_cert_error_string(Int(X509_STORE_CTX_get_error(context)))
            ERR_clear_error()
            throw CryptoError(.chain, words.map { String(cString: $0) } ?? "the chain is not right")
        }
    }
}
