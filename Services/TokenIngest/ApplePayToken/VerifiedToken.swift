import OrchardCrypto

/// A token that Apple signed within the last minutes; its content is still encrypted.
///
/// Apple signs the concatenated fields, without separators. The bytes are Apple's, but only a content that decrypts
/// proves where each field ends. So do not use transaction or application data that ``decrypt(with:)`` did not confirm.
public struct VerifiedToken: Sendable {
    private let token: PaymentToken
    private let wrapping: KeyWrapping

    /// When Apple's servers signed the token, in seconds since 1970.
    public let signedAt: Int64
    /// The facts read from the token.
    public let facts: TokenFacts

    init(token: PaymentToken, wrapping: KeyWrapping, signedAt: Int64, facts: TokenFacts) {
        self.token = token
        self.wrapping = wrapping
        self.signedAt = signedAt
        self.facts = facts
    }

    public var scheme: TokenScheme { wrapping.scheme }
    /// Apple's identifier of the payment, 64 lower-case hexadecimal digits; the same for the same token.
    public var transactionID: String { Hex.encode(token.transactionID) }
    /// SHA-256 of the payment request's `applicationData`, 32 bytes; nil when the request had none.
    public var applicationData: [UInt8]? { token.applicationData }
    /// SHA-256 of the merchant's public key, 32 bytes.
    public var publicKeyHash: [UInt8] { token.publicKeyHash }
    /// The device's description of the card. It is not signed: show it, but never decide by it.
    public var paymentMethod: ClaimedPaymentMethod? { token.paymentMethod }

    /// Restores the content key with the merchant's key and decrypts the content.
    ///
    /// - Throws: ``TokenError`` of the stages `key`, `decrypt` and `payload`; a temporary one when a key that is stored
    ///   elsewhere does not answer.
    public func decrypt(with keys: MerchantKeyRing) async throws(TokenError) -> DecryptedCard {
        do throws(InvalidToken) {
            guard let merchantKey = keys[token.publicKeyHash] else {
                throw InvalidToken(
                    .key, "no merchant key has the token's publicKeyHash; was the processing certificate renewed?")
            }
            let contentKey = try await merchantKey.contentKey(wrapping)
            return try PayloadReader.read(open(with: contentKey), scheme: scheme)
        } catch {
            throw TokenError(error.stage, error.reason, isTemporary: error.isTemporary, facts: facts)
        }
    }

    private func open(with key: borrowing SecretBytes) throws(InvalidToken) -> SecretBytes {
        do throws(CryptoError) {
            // Apple's IV is 16 zero bytes, not the usual 12; each key is used once.
            return try AESGCM.open(token.data, key: key, iv: [UInt8](repeating: 0, count: 16))
        } catch {
            throw InvalidToken(.decrypt, "the content does not decrypt: the merchant identifier or key is another one")
        }
    }
}
