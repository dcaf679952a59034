/// The two ways in which Apple encrypts a token for its merchant.
public enum TokenScheme: String, CaseIterable, Hashable, Sendable {
    /// ECDH on P-256 and AES-256-GCM.
    case ec = "EC_v1"
    /// A key wrapped with RSA-OAEP, and AES-128-GCM; used in China mainland.
    case rsa = "RSA_v1"
}
