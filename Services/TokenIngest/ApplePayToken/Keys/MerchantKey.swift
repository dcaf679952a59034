import OrchardCrypto

/// A merchant's payment processing key: how tokens identify it, and how it is used.
public struct MerchantKey: Sendable {
    private let operations: any MerchantKeyOperations
    public let publicKey: PublicKey
    /// The scheme whose tokens this key opens.
    public let scheme: TokenScheme
    /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes: tokens identify the key by it.
    public let publicKeyHash: [UInt8]
    /// SHA-256 of the merchant identifier, 32 bytes: PartyV of the key derivation. Empty for an RSA key without merchant.
    public let merchantIDHash: [UInt8]

    /// A key that is stored elsewhere, with its processing certificate, which gives merchant and public key.
    ///
    /// - Throws: `CryptoError` when the certificate is not a merchant's certificate.
    public init(_ operations: any MerchantKeyOperations, certificate: X509Certificate) throws(CryptoError) {
        try self.init(
            operations, certificate.publicKey, merchantIDHash: MerchantCertificate(certificate).merchantIDHash)
    }

    /// A key with its processing certificate, which gives the merchant.
    ///
    /// - Parameters:
    ///   - privateKeyPEM: P-256 for EC_v1 or RSA for RSA_v1, not encrypted.
    /// - Throws: `CryptoError` when one of them cannot be read, or they do not belong together.
    public init(privateKeyPEM: borrowing SecretBytes, certificate: X509Certificate) throws(CryptoError) {
        let key = try LocalMerchantKey(pem: privateKeyPEM)
        try self.init(key, key.publicKey, merchantIDHash: MerchantCertificate(certificate).merchantIDHash)
        guard publicKeyHash == certificate.publicKey.merchantKeyHash else {
            throw CryptoError(.mismatch, "the private key does not belong to the certificate")
        }
    }

    /// A key with its merchant identifier, such as `merchant.com.example.shop`, when no certificate is available.
    public init(privateKeyPEM: borrowing SecretBytes, merchantID: String) throws(CryptoError) {
        guard !merchantID.isEmpty else { throw CryptoError(.input, "the merchant identifier is empty") }
        let key = try LocalMerchantKey(pem: privateKeyPEM)
        try self.init(key, key.publicKey, merchantIDHash: SHA256.hash(merchantID))
    }

    /// An RSA key alone: RSA_v1 tokens can be opened without the merchant's identifier.
    ///
    /// - Throws: `CryptoError` for a P-256 key, which opens no token without the identifier.
    public init(rsaPrivateKeyPEM: borrowing SecretBytes) throws(CryptoError) {
        let key = try LocalMerchantKey(pem: rsaPrivateKeyPEM)
        try self.init(key, key.publicKey, merchantIDHash: [])
        guard scheme == .rsa else {
            throw CryptoError(.key, "an EC_v1 key needs its certificate or its merchant identifier")
        }
    }

    private init(
        _ operations: any MerchantKeyOperations, _ publicKey: PublicKey, merchantIDHash: [UInt8]
    ) throws(CryptoError) {
        guard let hash = publicKey.merchantKeyHash, let scheme = publicKey.scheme else {
            throw CryptoError(.key, "a merchant's key is on P-256 or RSA")
        }
        self.operations = operations
        self.publicKey = publicKey
        self.scheme = scheme
        publicKeyHash = hash
        self.merchantIDHash = merchantIDHash
    }

    /// Restores a token's content key (Apple, "Restoring the symmetric key").
    func contentKey(_ wrapping: KeyWrapping) async throws(InvalidToken) -> SecretBytes {
        guard wrapping.scheme == scheme else { throw Self.refusal("the merchant key is of the other version") }
        do throws(MerchantKeyError) {
            switch wrapping {
            case .ephemeralKey(let der):
                let secret = try await operations.agree(with: Self.peer(der))
                guard secret.count == 32 else { throw MerchantKeyError(.refused, "a shared secret has 32 bytes") }
                return derive(from: secret)
            case .wrappedKey(let wrapped):
                let contentKey = try await operations.unwrap(wrapped)
                guard contentKey.count == 16 else {
                    throw MerchantKeyError(.refused, "the wrapped key does not have 16 bytes")
                }
                return contentKey
            }
        } catch {
            throw Self.refusal(error.reason, isTemporary: error.code == .unavailable)
        }
    }

    private static func refusal(_ reason: String, isTemporary: Bool = false) -> InvalidToken {
        InvalidToken(.key, "the content key cannot be restored: \(reason)", isTemporary: isTemporary)
    }

    private static func peer(_ der: [UInt8]) throws(MerchantKeyError) -> P256PublicKey {
        do throws(CryptoError) {
            return try P256PublicKey(subjectPublicKeyInfo: der)
        } catch {
            throw MerchantKeyError(.refused, error.reason)
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
}

extension PublicKey {
    /// SHA-256 of the SubjectPublicKeyInfo; nil for kinds of keys that merchants do not use.
    var merchantKeyHash: [UInt8]? { subjectPublicKeyInfo.map { SHA256.hash($0) } }

    /// The scheme of the tokens for such a key.
    var scheme: TokenScheme? {
        switch self {
        case .p256: .ec
        case .rsa: .rsa
        case .other: nil
        }
    }
}

/// The keys that may open a token. There are several while a certificate is renewed: tokens for the old and the new key
/// arrive.
public struct MerchantKeyRing: Sendable {
    private let keys: [[UInt8]: MerchantKey]

    /// A ring; if several keys have the same public key, the last one counts.
    public init(_ keys: [MerchantKey]) {
        self.keys = Dictionary(keys.map { ($0.publicKeyHash, $0) }, uniquingKeysWith: { _, last in last })
    }

    /// All keys of several rings, for tools that open any merchant's token.
    public init(merging rings: some Sequence<MerchantKeyRing>) {
        self.init(rings.flatMap(\.keys.values))
    }

    public var isEmpty: Bool { keys.isEmpty }
    /// The hashes of the public keys, 32 bytes each.
    public var publicKeyHashes: Set<[UInt8]> { Set(keys.keys) }

    /// The key whose public key has that SHA-256.
    public subscript(publicKeyHash: [UInt8]) -> MerchantKey? { keys[publicKeyHash] }
}
