/// Changes to a token while it is made, in the order of the steps; each makes the token wrong.
public struct Tampering: Sendable {
    /// Changes the plaintext.
    public var payload: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Changes the key that the plaintext is encrypted with, but not the key that the merchant derives or unwraps.
    public var contentKey: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Changes ciphertext and tag before Apple signs them.
    public var ciphertext: @Sendable (inout [UInt8]) -> Void = { _ in }
    /// Changes the header before Apple signs it.
    public var header: @Sendable (inout PaymentToken.Header) -> Void = { _ in }
    /// Changes certificates and signer before the signature is made.
    public var signature: @Sendable (inout SignatureDraft) -> Void = { _ in }
    /// Changes the token after it was signed.
    public var token: @Sendable (inout PaymentToken) -> Void = { _ in }
    /// Changes the text that is sent.
    public var text: @Sendable (inout [UInt8]) -> Void = { _ in }

    public init() {}
}
