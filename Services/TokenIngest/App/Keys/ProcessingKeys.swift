import ApplePayToken
import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardServiceKit

/// Every merchant's payment processing keys, read and checked at the start.
struct ProcessingKeys: Sendable {
    private let rings: [MerchantID: MerchantKeyRing]
    /// The certificates that were read with the keys.
    let certificates: [CertificateExpiry]

    /// Reads the keys that `merchants.json` names; paths in it are relative to its folder.
    ///
    /// - Throws: ``ConfigurationError`` with the problem of every key that is missing, unreadable or of another merchant.
    init(_ registry: MerchantRegistry, folder: URL) throws(ConfigurationError) {
        var rings: [MerchantID: MerchantKeyRing] = [:]
        var owners: [[UInt8]: MerchantID] = [:]
        var problems: [ConfigurationError.Problem] = []
        var certificates: [CertificateExpiry] = []
        for merchant in registry.merchants {
            var keys: [MerchantKey] = []
            for (index, entry) in merchant.applePay.keys.enumerated() {
                let place = "merchants: \(merchant.displayName), applePay.keys[\(index)]"
                let read = problems.gather { () throws(ConfigurationError) in
                    try Self.read(entry, merchant.applePay.merchantIdentifier, folder, place)
                }
                guard let (key, notAfter) = read else { continue }
                if let notAfter, let file = entry.certificate {
                    certificates.append(
                        CertificateExpiry(merchant: merchant.displayName, file: file, notAfter: notAfter))
                }
                if let owner = owners.updateValue(merchant.id, forKey: key.publicKeyHash), owner != merchant.id {
                    problems.append(
                        .init(
                            key: "\(place).key",
                            reason:
                                "\(entry.key): another merchant has the same key; one key opens one merchant's tokens"))
                }
                keys.append(key)
            }
            rings[merchant.id] = MerchantKeyRing(keys)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.rings = rings
        self.certificates = certificates
    }

    /// The keys that may open tokens for `merchant`: only its own.
    subscript(merchant: MerchantID) -> MerchantKeyRing? { rings[merchant] }

    /// The keys of all merchants in one ring, for `inspect`.
    var all: MerchantKeyRing { MerchantKeyRing(merging: rings.values) }

    private static func read(
        _ entry: ApplePayMerchant.ProcessingKey, _ merchantIdentifier: String, _ folder: URL, _ place: String
    ) throws(ConfigurationError) -> (MerchantKey, notAfter: Int64?) {
        let files = KeyPairFiles(
            key: .init("key", entry.key), certificate: entry.certificate.map { .init("certificate", $0) }, in: folder)
        return try files.read(at: place) { pem, certificate throws(CryptoError) in
            guard let certificate else {
                return (try MerchantKey(privateKeyPEM: pem, merchantID: merchantIdentifier), nil)
            }
            let key = try MerchantKey(privateKeyPEM: pem, certificate: certificate)
            guard key.merchantIDHash == SHA256.hash(Array(merchantIdentifier.utf8)) else {
                throw CryptoError(.certificate, "the certificate is not for \(merchantIdentifier)")
            }
            return (key, certificate.notAfter)
        }
    }
}
