/// Why a token was refused, at which step, and what could be read of it.
///
/// The reason quotes no token data, so that it may be logged and shown.
public struct TokenError: Error, Hashable, Sendable {
    public let stage: TokenStage
    /// What is wrong and what to do.
    public let reason: String
    /// Whether the merchant's key was not available just now: the token may be valid, and must be tried again.
    public let isTemporary: Bool
    /// The facts read from the token. None is proved unless the stage is a later one.
    public let facts: TokenFacts

    public init(
        _ stage: TokenStage, _ reason: String, isTemporary: Bool = false, facts: TokenFacts = TokenFacts()
    ) {
        self.stage = stage
        self.reason = reason
        self.isTemporary = isTemporary
        self.facts = facts
    }
}

extension TokenError: CustomStringConvertible {
    public var description: String { "\(stage.rawValue): \(reason)" }
}

/// A refusal inside the library, before the facts are added.
struct InvalidToken: Error {
    let stage: TokenStage
    let reason: String
    let isTemporary: Bool

    init(_ stage: TokenStage, _ reason: String, isTemporary: Bool = false) {
        self.stage = stage
        self.reason = reason
        self.isTemporary = isTemporary
    }
}

/// The steps of a verification, in their order. A refused token names the step at which it failed.
public enum TokenStage: String, CaseIterable, Hashable, Sendable {
    /// The text is a payment token: JSON, base64, CMS.
    case parse
    /// The version is known and has its key field.
    case version
    /// The certificates lead to the pinned root and are those with which Apple signs tokens.
    case chain
    /// The signature names the leaf certificate as its signer.
    case signer
    /// The leaf made the signature, over exactly this token.
    case signature
    /// The token was signed within the last minutes.
    case time
    /// A merchant key belongs to the token, and the content key can be restored.
    case key
    /// The content decrypts under its tag.
    case decrypt
    /// The decrypted content has the form that Apple documents.
    case payload
}

/// The facts of a token that could be read; texts are short and on one line, suitable for logs.
public struct TokenFacts: Hashable, Sendable {
    /// The member `version`.
    public internal(set) var version: String?
    /// The signing time of the CMS signature, in seconds since 1970.
    public internal(set) var signedAt: Int64?
    /// The common name of the certificate that is marked as Apple's signing leaf.
    public internal(set) var leaf: String?
    /// The member `header.transactionId`, 64 lower-case hexadecimal digits.
    public internal(set) var transactionID: String?
    /// The member `header.publicKeyHash`, 32 bytes: identifies the merchant key that opens the token.
    public internal(set) var publicKeyHash: [UInt8]?

    public init(
        version: String? = nil, signedAt: Int64? = nil, leaf: String? = nil, transactionID: String? = nil,
        publicKeyHash: [UInt8]? = nil
    ) {
        self.version = version
        self.signedAt = signedAt
        self.leaf = leaf
        self.transactionID = transactionID
        self.publicKeyHash = publicKeyHash
    }
}

/// The two ways in which Apple encrypts a token for its merchant.
public enum TokenScheme: String, CaseIterable, Hashable, Sendable {
    /// ECDH on P-256 and AES-256-GCM.
    case ec = "EC_v1"
    /// A key wrapped with RSA-OAEP, and AES-128-GCM; used in China mainland.
    case rsa = "RSA_v1"
}
