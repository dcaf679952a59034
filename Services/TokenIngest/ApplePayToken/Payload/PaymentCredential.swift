import Crypto

/// The proof of payment inside a token, in one of two kinds.
public enum PaymentCredential: ~Copyable, Sendable {
    /// A cryptogram as 3-D Secure knows it, with the commerce indicator if the network gives one: pass it on if so.
    case threeDSecure(cryptogram: SecretBytes, eci: String?)
    /// EMV tags with lengths and values, and the encrypted PIN where the card asks for one (RSA_v1 only).
    case emv(data: SecretBytes, encryptedPIN: SecretBytes?)

    /// The member `paymentDataType`.
    public enum Kind: String, Hashable, Sendable {
        case threeDSecure = "3DSecure"
        case emv = "EMV"
    }

    public var kind: Kind {
        switch self {
        case .threeDSecure: .threeDSecure
        case .emv: .emv
        }
    }
}
