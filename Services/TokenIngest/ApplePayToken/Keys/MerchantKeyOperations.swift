import OrchardCrypto

/// The operations of a merchant's private key that a token needs. The key itself may stay outside the process, in an
/// HSM or a key service.
///
/// For a key in the process, use the initialisers of ``MerchantKey`` that take PEM. For another key, implement the
/// operation of its scheme (the other one is never called) and pass it to ``MerchantKey/init(_:certificate:)``.
public protocol MerchantKeyOperations: Sendable {
    /// EC_v1: agrees on a secret with the token's ephemeral key (ECDH on P-256, cofactor 1).
    ///
    /// - Parameter peer: a point that was checked to be on the curve.
    /// - Returns: the x coordinate of the shared point, 32 bytes; no key derivation is applied yet.
    func agree(with peer: P256PublicKey) async throws(MerchantKeyError) -> SecretBytes

    /// RSA_v1: decrypts the token's content key (RSAES-OAEP with SHA-256, MGF1 with SHA-256, empty label).
    ///
    /// - Returns: 16 bytes.
    func unwrap(_ wrappedKey: [UInt8]) async throws(MerchantKeyError) -> SecretBytes
}

/// Why an operation with a merchant's key failed. It contains nothing of the key or the token.
public struct MerchantKeyError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// The key can never do this with this input: the token is refused.
        case refused
        /// The key's holder does not answer now: the token may be valid, and the same token must be tried again.
        case unavailable
    }

    public let code: Code
    /// What is wrong; may be logged.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension MerchantKeyError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(reason)" }
}
