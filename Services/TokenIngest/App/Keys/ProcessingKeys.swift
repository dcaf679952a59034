import ApplePayToken
import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardServiceKit

/// Every merchant's payment processing keys, read and checked at the start.
struct ProcessingKeys: Sendable {
    /// A key of `merchants.json` that was read.
    struct Entry: Sendable {
        let key: MerchantKey
        let certificate: X509Certificate?
    }

    private let rings: [MerchantID: MerchantKeyRing]
    /// The certificates that were read with the keys.
    let certificates: [CertificateExpiry]

    /// Reads the keys that `merchants.json` names; paths in it are relative to its folder.
    ///
    /// - Throws: ``ConfigurationError`` with the problem of every key that is missing, unreadable or of another merchant.
    init(_ registry: MerchantRegistry, folder: URL) throws(ConfigurationError) {
        var rings: [MerchantID: MerchantKeyRing] = [:]
        var owners = KeyOwners()
        var problems: [ConfigurationError.Problem] = []
        var certificates: [CertificateExpiry] = []
        for merchant in registry.merchants {
            var keys: [MerchantKey] = []
            for (index, file) in merchant.applePay.keys.enumerated() {
                let read = problems.gather { () throws(ConfigurationError) in
                    try Self.read(file, of: merchant, at: index, in: folder)
                }
                guard let read else { continue }
                if let notAfter = read.certificate?.notAfter {
                    certificates.append(
                        CertificateExpiry(
                            merchant: merchant.displayName, file: file.certificate ?? file.key, notAfter: notAfter))
                }
                if let reason = owners.problem(of: read.key, merchant) {
                    problems.append(
                        .init(key: "\(Self.place(merchant, index)).key", reason: "\(file.key): \(reason)"))
                }
                keys.append(read.key)
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

    /// Reads one key of a merchant.
    ///
    /// - Throws: ``ConfigurationError`` with every problem of its files.
    static func read(
        _ entry: ApplePayMerchant.StoredKey, of merchant: Merchant, at index: Int, in folder: URL
    ) throws(ConfigurationError) -> Entry {
        let files = KeyPairFiles(
            key: .init("key", entry.key), certificate: entry.certificate.map { .init("certificate", $0) },
            password: entry.passwordFile.map { .init("passwordFile", $0) }, in: folder)
        let identifier = merchant.applePay.merchantIdentifier
        return try files.read(at: place(merchant, index)) { pem, certificate throws(CryptoError) in
            guard let certificate else {
                return Entry(key: try MerchantKey(privateKeyPEM: pem, merchantID: identifier), certificate: nil)
            }
            guard !IdentityCertificate.isOne(certificate) else {
                throw CryptoError(
                    .certificate, "this is the Merchant Identity certificate; it belongs in applePay.identities")
            }
            let key = try MerchantKey(privateKeyPEM: pem, certificate: certificate)
            guard key.merchantIDHash == SHA256.hash(Array(identifier.utf8)) else {
                throw CryptoError(.certificate, "the certificate is not for \(identifier)")
            }
            return Entry(key: key, certificate: certificate)
        }
    }

    private static func place(_ merchant: Merchant, _ index: Int) -> String {
        "merchants: \(merchant.displayName), applePay.keys[\(index)]"
    }
}

/// Finds keys that two merchants have.
struct KeyOwners {
    private var owners: [[UInt8]: MerchantID] = [:]

    /// What is wrong when another merchant has the same key.
    mutating func problem(of key: MerchantKey, _ merchant: Merchant) -> String? {
        guard let owner = owners.updateValue(merchant.id, forKey: key.publicKeyHash), owner != merchant.id else {
            return nil
        }
        return "another merchant has the same key; one key opens one merchant's tokens"
    }
}
