import ApplePayToken
import OrchardCrypto

/// Apple's Merchant Identity certificate, with which a merchant asks for sessions on the web.
///
/// Apple issues two kinds of certificate to the same merchant; their common names tell them apart.
enum IdentityCertificate {
    /// Whether it is of this kind.
    static func isOne(_ certificate: X509Certificate) -> Bool {
        certificate.subjectCommonName?.hasPrefix("Apple Pay Merchant Identity") == true
    }

    /// - Throws: `CryptoError` `.certificate` when it is of another kind or merchant, or of a key that Apple does not take.
    static func check(_ certificate: X509Certificate, of merchantIdentifier: String) throws(CryptoError) {
        guard isOne(certificate) else {
            throw CryptoError(
                .certificate, "this is not Apple's Merchant Identity certificate; is it the Payment Processing one?")
        }
        guard case .rsa(let key) = certificate.publicKey, key.bits == 2048 else {
            throw CryptoError(.certificate, "its key is not RSA with 2048 bits; Apple takes no other")
        }
        // Apple's place for the identifier; where the certificate has its hash too, both must agree.
        guard certificate.subjectUserID == merchantIdentifier else {
            throw CryptoError(.certificate, "the certificate is not for \(merchantIdentifier)")
        }
        if certificate.extensionValue(oid: MerchantCertificate.marker) != nil {
            _ = try MerchantCertificate(certificate)
        }
    }
}
