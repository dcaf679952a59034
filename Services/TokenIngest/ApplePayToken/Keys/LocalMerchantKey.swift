import OrchardCrypto

/// A merchant's key in the memory of this process.
enum LocalMerchantKey: MerchantKeyOperations {
    case p256(P256PrivateKey)
    case rsa(RSAPrivateKey)

    /// Reads P-256 for EC_v1 or RSA of at least 2048 bits for RSA_v1, not encrypted.
    init(pem: borrowing SecretBytes) throws(CryptoError) {
        if let key = try? P256PrivateKey(pem: pem) {
            self = .p256(key)
        } else {
            let key = try RSAPrivateKey(pem: pem)
            guard key.bits >= 2048 else { throw CryptoError(.key, "an RSA key needs 2048 bits") }
            self = .rsa(key)
        }
    }

    var publicKey: PublicKey {
        switch self {
        case .p256(let key): .p256(key.publicKey)
        case .rsa(let key): .rsa(key.publicKey)
        }
    }

    func agree(with peer: P256PublicKey) async throws(MerchantKeyError) -> SecretBytes {
        guard case .p256(let key) = self else { throw Self.otherVersion }
        do throws(CryptoError) {
            return try key.sharedSecret(with: peer)
        } catch {
            throw MerchantKeyError(.refused, error.reason)
        }
    }

    func unwrap(_ wrappedKey: [UInt8]) async throws(MerchantKeyError) -> SecretBytes {
        guard case .rsa(let key) = self else { throw Self.otherVersion }
        do throws(CryptoError) {
            return try key.decryptOAEPSHA256(wrappedKey)
        } catch {
            throw MerchantKeyError(.refused, error.reason)
        }
    }

    private static let otherVersion = MerchantKeyError(.refused, "the merchant key is of the other version")
}
