/// How an answer or a notification is sent.
enum AnswerStyle: String, Sendable {
    /// Correct.
    case right
    /// The connection is closed without an answer.
    case drop
    case html, http500, http502, empty
    /// Only the first half of the body.
    case cut
    /// Signed by UnionPay's key, but the signature is garbled.
    case badSignature
    /// Signed under another root, by a certificate with UnionPay's name.
    case impostor
    /// Signed under the right root, by a certificate with another name.
    case foreign
    /// Signed by UnionPay's expired certificate.
    case expired
    /// An answer, or no answer, after a long time.
    case slow, slowDrop
}
