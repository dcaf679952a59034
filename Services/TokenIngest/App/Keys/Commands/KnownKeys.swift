import ApplePayToken
import Contracts
import KeyFiles
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit

/// The merchants of a `merchants.json`, and the public keys of those keys and identities that can be read.
struct KnownKeys {
    private let path: String
    private let merchants: [Merchant]
    private let places: [[UInt8]: String]

    init(_ file: MerchantsFile) {
        path = file.path
        merchants = file.registry.merchants
        var places: [[UInt8]: String] = [:]
        for merchant in merchants {
            for (index, entry) in merchant.applePay.keys.enumerated() {
                // What is wrong with other keys is for `keys list` to say.
                let read = try? ProcessingKeys.read(entry, of: merchant, at: index, in: file.folder)
                if let read { places[read.key.publicKeyHash] = "\(merchant.displayName), applePay.keys[\(index)]" }
            }
            for (index, entry) in merchant.applePay.identities.enumerated() {
                let read = try? MerchantIdentities.read(entry, of: merchant, at: index, in: file.folder)
                guard let info = read?.certificate.publicKey.subjectPublicKeyInfo else { continue }
                places[SHA256.hash(info)] = "\(merchant.displayName), applePay.identities[\(index)]"
            }
        }
        self.places = places
    }

    /// Adds to a report whose key it is.
    func describe(_ publicKey: PublicKey, _ certificate: X509Certificate?, in report: inout KeyReport) {
        let hash = publicKey.subjectPublicKeyInfo.map { SHA256.hash($0) }
        if let place = hash.flatMap({ places[$0] }) {
            report.add("in use", "\(path): \(place)")
            return
        }
        guard let certificate, let named = try? MerchantCertificate(certificate) else { return }
        let list = IdentityCertificate.isOne(certificate) ? "identities" : "keys"
        let merchant = merchants.first { SHA256.hash($0.applePay.merchantIdentifier) == named.merchantIDHash }
        if let merchant {
            report.add("in use", "not yet; add it to applePay.\(list) of \(merchant.displayName) in \(path)")
        } else {
            report.add(
                problem: "no merchant of \(path) has this merchant identifier; compare applePay.merchantIdentifier")
        }
    }
}
