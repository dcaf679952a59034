import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit

/// Every merchant's Merchant Identity certificates with their keys, read and checked at the start.
struct MerchantIdentities: Sendable {
    private let identities: [MerchantID: [ClientIdentity]]
    let certificates: [CertificateExpiry]

    /// Reads the identities that `merchants.json` names; paths in it are relative to its folder.
    ///
    /// - Throws: ``ConfigurationError`` with the problem of every identity.
    init(_ registry: MerchantRegistry, folder: URL) throws(ConfigurationError) {
        var identities: [MerchantID: [ClientIdentity]] = [:]
        var problems: [ConfigurationError.Problem] = []
        var certificates: [CertificateExpiry] = []
        for merchant in registry.merchants {
            for (index, files) in merchant.applePay.identities.enumerated() {
                let read = problems.gather { () throws(ConfigurationError) in
                    try Self.read(files, of: merchant, at: index, in: folder)
                }
                guard let read else { continue }
                identities[merchant.id, default: []].append(read)
                certificates.append(
                    CertificateExpiry(
                        merchant: merchant.displayName, file: files.certificate ?? files.key,
                        notAfter: read.certificate.notAfter))
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.identities = identities
        self.certificates = certificates
    }

    /// The newest identity that is valid at `time`, in seconds since 1970.
    func identity(of merchant: MerchantID, at time: Int64) throws(SessionRefusal) -> ClientIdentity {
        guard let all = identities[merchant] else { throw .identityMissing }
        let valid = all.filter { $0.certificate.notBefore <= time && time <= $0.certificate.notAfter }
        guard let newest = valid.max(by: { $0.certificate.notBefore < $1.certificate.notBefore }) else {
            throw .identityExpired
        }
        return newest
    }

    /// Reads one identity of a merchant.
    ///
    /// - Throws: ``ConfigurationError`` with every problem of its files.
    static func read(
        _ files: ApplePayMerchant.StoredKey, of merchant: Merchant, at index: Int, in folder: URL
    ) throws(ConfigurationError) -> ClientIdentity {
        let pair = KeyPairFiles(
            key: .init("key", files.key), certificate: files.certificate.map { .init("certificate", $0) },
            password: files.passwordFile.map { .init("passwordFile", $0) }, in: folder)
        let place = "merchants: \(merchant.displayName), applePay.identities[\(index)]"
        return try pair.read(at: place) { pem, certificate throws(CryptoError) in
            let key = try RSAPrivateKey(pem: pem)
            guard let certificate else {
                throw CryptoError(.key, "its certificate is missing; name the merchant_id.cer that Apple made for it")
            }
            try IdentityCertificate.check(certificate, of: merchant.applePay.merchantIdentifier)
            guard certificate.publicKey.subjectPublicKeyInfo == key.publicKey.subjectPublicKeyInfo else {
                throw CryptoError(.mismatch, "the private key does not belong to the certificate")
            }
            return ClientIdentity(certificate: certificate, privateKeyPEM: pem.copy())
        }
    }
}
