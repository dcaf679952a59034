import OrchardCrypto

/// What a token needs of a merchant's private key. The key itself may stay outside the process, in an HSM or a key service.
///
/// A key in the process is made by ``MerchantKey``'s initialisers that take PEM; for another, implement the operation of
/// its scheme (the other one is never called) and hand it to ``MerchantKey/init(_:certificate:)``.
public protocol MerchantKeyOperations: Sendable {
    /// EC_v1: agrees on a secret with the token's ephemeral key (ECDH on P-256, cofactor 1).
    ///
    /// - Parameter peer: was checked to be on the curve.
    /// - Returns: the x coordinate of the shared point, 32 bytes; nothing is derived from it yet.
    func agree(with peer: P256PublicKey) async throws(MerchantKeyError) -> SecretBytes

    /// RSA_v1: decrypts the token's content key (RSAES-OAEP with SHA-256, MGF1 with SHA-256, empty label).
    ///
    /// - Returns: 16 bytes.
    func unwrap(_ wrappedKey: [UInt8]) async throws(MerchantKeyError) -> SecretBytes
}

/// Why an operation with a merchant's key gave nothing. Nothing of the key or the token is in it.
public struct MerchantKeyError: Error, Hashable, Sendable {
    /// What is wrong.
    public enum Code: String, Sendable {
        /// The key does not do this with this input, and never will: the token is refused.
        case refused
        /// Who keeps the key does not answer now: the token may be right, and the same token is to be tried again.
        case unavailable
    }

    public let code: Code
    /// What is wrong, in words that may be logged.
    public let reason: String

    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }
}

extension MerchantKeyError: CustomStringConvertible {
    public var description: String { "\(code.rawValue): \(reason)" }
}
