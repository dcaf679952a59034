/// How a decrypted Apple Pay token proves the card's presence (Apple: `paymentDataType`).
public enum PaymentDataType: String, Sendable, CaseIterable {
    /// An online payment cryptogram and, for some networks, an ECI.
    case threeDSecure = "3DSecure"
    /// EMV data and, in China, the encrypted PIN.
    case emv = "EMV"
}
