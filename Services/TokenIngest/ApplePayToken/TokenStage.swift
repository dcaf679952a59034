/// The steps of a verification, in their order. A refused token names the step at which it failed.
public enum TokenStage: String, CaseIterable, Hashable, Sendable {
    /// The text is a payment token: JSON, base64, CMS.
    case parse
    /// The version is known and has its key field.
    case version
    /// The certificates lead to the pinned root and are what Apple signs tokens with.
    case chain
    /// The signature names the leaf certificate as its signer.
    case signer
    /// The signature is the leaf's, over this very token.
    case signature
    /// The token was signed a moment ago.
    case time
    /// A merchant key belongs to the token, and the content key can be restored.
    case key
    /// The content decrypts under its tag.
    case decrypt
    /// The decrypted content is what Apple documents.
    case payload
}
