import Contracts
import OrchardCrypto

/// A merchant as UnionPay knows it: its number and the key that signs its requests.
struct UnionPayMerchant: Sendable {
    /// Where its charges are sent.
    let environment: AcquirerRoute.Environment
    /// `certId`: the serial number of the signing certificate, in decimal.
    let certificateID: String
    /// The signing certificate's last second, since 1970.
    let notAfter: Int64
    private let key: RSAPrivateKey

    /// - Throws: ``CryptoError`` `.mismatch` when the key is not that of the certificate.
    init(
        in environment: AcquirerRoute.Environment, key: RSAPrivateKey, certificate: X509Certificate
    ) throws(CryptoError) {
        guard case .rsa(let certified) = certificate.publicKey,
            certified.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo
        else { throw CryptoError(.mismatch, "the private key does not belong to the certificate") }
        self.environment = environment
        certificateID = certificate.serialNumberDecimal
        notAfter = certificate.notAfter
        self.key = key
    }

    /// A signing key as UnionPay takes it, in PEM.
    static func key(pem: borrowing SecretBytes) throws(CryptoError) -> RSAPrivateKey {
        let key = try RSAPrivateKey(pem: pem)
        guard key.bits >= 2048 else {
            throw CryptoError(.key, "the key has \(key.bits) bits; UnionPay takes RSA keys from 2048 bits on")
        }
        return key
    }

    /// The signature of ACP 5.1.0 over the string to sign.
    func sign(_ text: [UInt8]) throws(CryptoError) -> [UInt8] {
        try key.signPKCS1SHA256(ACPSignature.message(over: text))
    }
}
