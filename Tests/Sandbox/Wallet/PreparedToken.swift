/// A token that is encrypted and not yet signed: the signature covers the order that it pays.
public struct PreparedToken: Sendable {
    let request: MintRequest
    /// The payload before encryption, JSON.
    let payload: [UInt8]
    let accountNumber: String
    let secrets: [String]
    /// Without application data.
    let header: PaymentToken.Header
    let ciphertext: [UInt8]
}
