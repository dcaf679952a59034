import OrchardJSON

/// A merchant as Apple knows it. Files are named relative to `merchants.json`; only token-ingest reads them.
public struct ApplePayMerchant: Hashable, Sendable {
    /// For example `merchant.com.example.shop`.
    public let merchantIdentifier: String
    /// Payment processing keys; several during a rotation.
    public let keys: [StoredKey]
    /// Merchant identities, shown to Apple's session servers for the web; several during a rotation.
    public let identities: [StoredKey]
    /// Domains whose ownership Apple verifies.
    public let domains: [Domain]

    /// A private key with its certificate, on disk.
    public struct StoredKey: Hashable, Sendable {
        /// Private key, PEM; or PKCS#12 with its certificate.
        public let key: String
        /// Apple's certificate for the key, PEM or DER. A processing key may have none: the merchant identifier then
        /// replaces the certificate's extension.
        public let certificate: String?
        /// The file with the password of a key in PKCS#12.
        public let passwordFile: String?

        /// All files.
        public var files: [String] { [key, certificate, passwordFile].compactMap(\.self) }
    }

    /// A domain that is registered at Apple.
    public struct Domain: Hashable, Sendable {
        /// In lower case.
        public let name: String
        /// Apple's domain association file.
        public let associationFile: String
    }
}

extension MerchantRegistry {
    /// A rotation needs two.
    private static let maximumIdentities = 4

    /// Reads a merchant's member `applePay`.
    static func applePay(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> ApplePayMerchant {
        problems.refuseOthers(than: ["merchantIdentifier", "keys", "identities", "domains"], in: value, at: path)
        let identities = problems.list("identities", in: value, at: path, isRequired: false) { storedKey($0, $1, &$2) }
        if identities.count > maximumIdentities {
            problems.add("\(path).identities", "at most \(maximumIdentities) identities are read")
        }
        return ApplePayMerchant(
            merchantIdentifier: problems.text("merchantIdentifier", in: value, at: path, limit: 255),
            keys: problems.list("keys", in: value, at: path) { storedKey($0, $1, &$2) }, identities: identities,
            domains: problems.list("domains", in: value, at: path, isRequired: false) { domain($0, $1, &$2) })
    }

    private static func storedKey(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> ApplePayMerchant.StoredKey {
        problems.refuseOthers(than: ["key", "certificate", "passwordFile"], in: value, at: path)
        return ApplePayMerchant.StoredKey(
            key: problems.text("key", in: value, at: path, limit: 1_024),
            certificate: problems.optionalText("certificate", in: value, at: path, limit: 1_024),
            passwordFile: problems.optionalText("passwordFile", in: value, at: path, limit: 1_024))
    }

    private static func domain(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> ApplePayMerchant.Domain? {
        problems.refuseOthers(than: ["domain", "associationFile"], in: value, at: path)
        let file = problems.text("associationFile", in: value, at: path, limit: 1_024)
        guard let name = value["domain"]?.string?.lowercased(), isHostName(name) else {
            problems.add("\(path).domain", "a host name as in shop.example is required, without a scheme or port")
            return nil
        }
        return ApplePayMerchant.Domain(name: name, associationFile: file)
    }

    /// Labels of letters, digits and hyphens (RFC 1123 §2.1); an international name in its form `xn--`.
    private static func isHostName(_ text: String) -> Bool {
        text.utf8.count <= 253
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                            UInt8(ascii: "-"):
                            true
                        default: false
                        }
                    }
            }
    }
}
