import OrchardCrypto

/// The proof of payment inside a token, of one of two kinds.
public enum PaymentCredential: ~Copyable, Sendable {
    case threeDSecure(ThreeDSecureCredential)
    case emv(EMVCredential)

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

/// A cryptogram of 3-D Secure.
public struct ThreeDSecureCredential: ~Copyable, Sendable {
    /// `onlinePaymentCryptogram`: base64 as Apple wrote it.
    public let cryptogram: SecretBytes
    /// The electronic commerce indicator, if the network gives one: then pass it on.
    public let eci: String?

    public init(cryptogram: consuming SecretBytes, eci: String?) {
        self.cryptogram = cryptogram
        self.eci = eci
    }
}

/// The data of a chip card.
public struct EMVCredential: ~Copyable, Sendable {
    /// `emvData`: base64, as Apple wrote it, of tags with lengths and values.
    public let data: SecretBytes
    /// `encryptedPINData`: hexadecimal as Apple wrote it; empty when no PIN was requested. RSA_v1 tokens only.
    public let encryptedPIN: SecretBytes

    public init(data: consuming SecretBytes, encryptedPIN: consuming SecretBytes = SecretBytes()) {
        self.data = data
        self.encryptedPIN = encryptedPIN
    }
}
