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
                do {
                    let (key, notAfter) = try Self.read(entry, merchant.applePay.merchantIdentifier, folder)
                    if let notAfter, let file = entry.certificate {
                        certificates.append(
                            CertificateExpiry(merchant: merchant.displayName, file: file, notAfter: notAfter))
                    }
                    if let owner = owners.updateValue(merchant.id, forKey: key.publicKeyHash), owner != merchant.id {
                        throw CryptoError(
                            .key, "another merchant has the same key; one key opens one merchant's tokens")
                    }
                    keys.append(key)
                } catch let error as KeyFileError where error.code == .exposed {
                    problems.append(.init(key: place, reason: error.description))
                } catch let error as CryptoError {
                    problems.append(.init(key: place, reason: "\(entry.key): \(error.reason)"))
                } catch {
                    problems.append(.init(key: place, reason: "\(entry.key) or its certificate cannot be read"))
                }
            }
            rings[merchant.id] = MerchantKeyRing(keys)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        self.rings = rings
        self.certificates = certificates
    }

    /// The keys that may open tokens for `merchant`: its own alone.
    subscript(merchant: MerchantID) -> MerchantKeyRing? { rings[merchant] }

    /// Everyone's keys in one ring, for `inspect`.
    var all: MerchantKeyRing { MerchantKeyRing(merging: rings.values) }

    private static func read(
        _ entry: ApplePayMerchant.ProcessingKey, _ merchantIdentifier: String, _ folder: URL
    ) throws -> (MerchantKey, notAfter: Int64?) {
        let pem = try KeyFile(URL(filePath: entry.key, relativeTo: folder).path).readPrivate()
        guard let path = entry.certificate else {
            return (try MerchantKey(privateKeyPEM: pem, merchantID: merchantIdentifier), nil)
        }
        let file = Array(try Data(contentsOf: URL(filePath: path, relativeTo: folder)))
        // Apple hands certificates out in DER, tools like PEM.
        let certificate = try X509Certificate(file: file)
        let key = try MerchantKey(privateKeyPEM: pem, certificate: certificate)
        guard key.merchantIDHash == SHA256.hash(Array(merchantIdentifier.utf8)) else {
            throw CryptoError(.certificate, "the certificate is not for \(merchantIdentifier)")
        }
        return (key, certificate.notAfter)
    }
}
