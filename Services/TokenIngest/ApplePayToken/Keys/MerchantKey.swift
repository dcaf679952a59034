import OrchardCrypto

/// A merchant's payment processing key.
public struct MerchantKey: Sendable {
    private enum Kind {
        case p256(P256PrivateKey)
        case rsa(RSAPrivateKey)
    }

    /// Marks merchant certificates; holds SHA-256 of the merchant identifier as 64 hexadecimal digits.
    private static let identifierHash = "1.2.840.113635.100.6.32"

    private let key: Kind
    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes: how tokens name the key.
    public let publicKeyHash: [UInt8]
    /// SHA-256 of the merchant identifier, 32 bytes: PartyV of the key derivation. Empty for an RSA key without merchant.
    public let merchantIDHash: [UInt8]

    /// A key with its processing certificate, from which the merchant follows.
    ///
    /// - Parameters:
    ///   - privateKeyPEM: P-256 for EC_v1 or RSA for RSA_v1, not encrypted.
    /// - Throws: `CryptoError` when one of them cannot be read, or they do not belong together.
    public init(privateKeyPEM: String, certificate: X509Certificate) throws(CryptoError) {
        guard let value = certificate.extensionValue(oid: Self.identifierHash),
            let hash = Self.hash(identifierExtension: value)
        else {
            throw CryptoError(
                .certificate, "this is no merchant certificate of Apple: extension \(Self.identifierHash)")
        }
        // Apple writes the identifier in two ways; if they differ, one of them was meant for someone else.
        if let identifier = certificate.subjectUserID, SHA256.hash(identifier) != hash {
            throw CryptoError(.certificate, "the certificate names two merchants")
        }
        try self.init(privateKeyPEM: privateKeyPEM, merchantIDHash: hash)
        guard publicKeyHash == certificate.publicKeyHash else {
            throw CryptoError(.key, "the private key does not belong to the certificate")
        }
    }

    /// A key with its merchant identifier, as `merchant.com.example.shop`, where no certificate is at hand.
    public init(privateKeyPEM: String, merchantID: String) throws(CryptoError) {
        guard !merchantID.isEmpty else { throw CryptoError(.input, "the merchant identifier is empty") }
        try self.init(privateKeyPEM: privateKeyPEM, merchantIDHash: SHA256.hash(merchantID))
    }

    /// An RSA key alone: RSA_v1 tokens open without the merchant's identifier.
    ///
    /// - Throws: `CryptoError` for a P-256 key, which opens nothing without the identifier.
    public init(rsaPrivateKeyPEM: String) throws(CryptoError) {
        try self.init(privateKeyPEM: rsaPrivateKeyPEM, merchantIDHash: [])
        guard scheme == .rsa else {
            throw CryptoError(.key, "an EC_v1 key needs its certificate or its merchant identifier")
        }
    }

    private init(privateKeyPEM: String, merchantIDHash: [UInt8]) throws(CryptoError) {
        if let key = try? P256PrivateKey(pem: privateKeyPEM) {
            self.key = .p256(key)
            publicKeyHash = SHA256.hash(key.publicKey.subjectPublicKeyInfo)
        } else {
            let key = try RSAPrivateKey(pem: privateKeyPEM)
            guard key.bits >= 2048 else { throw CryptoError(.key, "an RSA key needs 2048 bits") }
            self.key = .rsa(key)
            publicKeyHash = SHA256.hash(key.publicKey.subjectPublicKeyInfo)
        }
        self.merchantIDHash = merchantIDHash
    }

    /// The scheme whose tokens this key opens.
    public var scheme: TokenScheme {
        switch key {
        case .p256: .ec
        case .rsa: .rsa
        }
    }

    /// Restores a token's content key (Apple, "Restoring the symmetric key").
    func contentKey(_ wrapping: KeyWrapping) throws(Refusal) -> SecretBytes {
        do throws(CryptoError) {
            switch (key, wrapping) {
            case (.p256(let key), .ephemeralKey(let der)):
                return derive(from: try key.sharedSecret(with: P256PublicKey(subjectPublicKeyInfo: der)))
            case (.rsa(let key), .wrappedKey(let wrapped)):
                let contentKey = try key.decryptOAEPSHA256(wrapped)
                guard contentKey.count == 16 else {
                    throw CryptoError(.key, "the wrapped key does not have 16 bytes")
                }
                return contentKey
            default:
                throw CryptoError(.key, "the merchant key is of the other version")
            }
        } catch {
            throw Refusal(.key, "the content key cannot be restored: \(error.reason)")
        }
    }

    /// NIST SP 800-56A section 5.8.1, one round with SHA-256.
    private func derive(from secret: borrowing SecretBytes) -> SecretBytes {
        var hasher = SHA256.Hasher()
        hasher.update([0, 0, 0, 1])
        secret.withBytes { hasher.update($0) }
        hasher.update([13] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8))
        hasher.update(merchantIDHash)
        return SecretBytes(taking: hasher.finish())
    }

    /// The content of the extension: a UTF8String of 64 digits.
    private static func hash(identifierExtension value: [UInt8]) -> [UInt8]? {
        guard value.count == 66, value.starts(with: [0x0C, 0x40]) else { return nil }
        return Hex.decode(utf8: Array(value[2...]))
    }
}

extension X509Certificate {
    /// SHA-256 of the SubjectPublicKeyInfo; nil for kinds of keys that no merchant has.
    fileprivate var publicKeyHash: [UInt8]? {
        switch publicKey {
        case .p256(let key): SHA256.hash(key.subjectPublicKeyInfo)
        case .rsa(let key): SHA256.hash(key.subjectPublicKeyInfo)
        case .other: nil
        }
    }
}
