import OrchardCrypto

/// What a payment processing certificate of Apple says about its merchant.
public struct MerchantCertificate: Hashable, Sendable {
    /// Marks merchant certificates; holds SHA-256 of the merchant identifier as 64 hexadecimal digits.
    public static let marker = "1.2.840.113635.100.6.32"

    /// SHA-256 of the merchant identifier, 32 bytes.
    public let merchantIDHash: [UInt8]
    /// The merchant identifier, if the certificate has it as text.
    public let merchantIdentifier: String?

    /// - Throws: `CryptoError` when it is no certificate of a merchant, or of two.
    public init(_ certificate: X509Certificate) throws(CryptoError) {
        guard let value = certificate.extensionValue(oid: Self.marker),
            let hash = Self.hash(identifierExtension: value)
        else {
            throw CryptoError(
                .certificate, "this is no merchant certificate of Apple: extension \(Self.marker)")
        }
        // Apple writes the identifier in two ways; if they differ, one of them belongs to another merchant.
        if let identifier = certificate.subjectUserID, SHA256.hash(identifier) != hash {
            throw CryptoError(.certificate, "the certificate names two merchants")
        }
        merchantIDHash = hash
        merchantIdentifier = certificate.subjectUserID
    }

    /// The content of the extension: a UTF8String of 64 digits.
    private static func hash(identifierExtension value: [UInt8]) -> [UInt8]? {
        guard value.count == 66, value.starts(with: [0x0C, 0x40]) else { return nil }
        return Hex.decode(utf8: Array(value[2...]))
    }
}
