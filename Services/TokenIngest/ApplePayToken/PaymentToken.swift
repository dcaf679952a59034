import OrchardCrypto
import OrchardJSON

/// A decoded payment token; nothing is verified.
struct PaymentToken: Sendable {
    let version: String
    let data: [UInt8]
    let signedData: SignedData
    let publicKeyHash: [UInt8]
    let transactionID: [UInt8]
    let applicationData: [UInt8]?
    let ephemeralKey: [UInt8]?
    let wrappedKey: [UInt8]?
    let paymentMethod: ClaimedPaymentMethod?

    /// Decodes a token. Records in the facts everything that can be read, even when another part cannot.
    init(_ bytes: [UInt8], facts: inout TokenFacts) throws(InvalidToken) {
        guard bytes.count <= TokenVerifier.maximumSize else {
            throw InvalidToken(.parse, "the token has more than \(TokenVerifier.maximumSize) bytes")
        }
        let text = try TokenText(parsing: bytes)
        facts.version = text.version.map { OutsideText.printable($0, upTo: 16) }
        let transactionID = text.transactionID.flatMap { Self.hash(hex: $0) }
        facts.transactionID = transactionID.map { Hex.encode($0) }
        let publicKeyHash = text.publicKeyHash.flatMap { Base64.decode($0) }
        facts.publicKeyHash = publicKeyHash

        let signature = try Self.base64(text.signature, "signature")
        signedData = try SignedData(signature, signedAt: &facts.signedAt)
        version = try Self.required(text.version, "version")
        data = try Self.base64(text.data, "data")
        guard text.hasHeader else { throw InvalidToken(.parse, "the token has no header") }
        guard let publicKeyHash, !publicKeyHash.isEmpty else {
            throw Self.refusal(text.publicKeyHash, "header.publicKeyHash", Self.isNotBase64)
        }
        guard publicKeyHash.count == SHA256.count else {
            throw InvalidToken(.parse, "header.publicKeyHash must have 32 bytes")
        }
        self.publicKeyHash = publicKeyHash
        guard let transactionID else {
            throw Self.refusal(text.transactionID, "header.transactionId", Self.isNotHash)
        }
        self.transactionID = transactionID
        applicationData =
            text.applicationData == nil
            ? nil : try Self.hash(hex: text.applicationData, "header.applicationData")
        ephemeralKey =
            text.ephemeralPublicKey == nil
            ? nil : try Self.base64(text.ephemeralPublicKey, "header.ephemeralPublicKey")
        wrappedKey = text.wrappedKey == nil ? nil : try Self.base64(text.wrappedKey, "header.wrappedKey")
        paymentMethod = text.paymentMethod
        if let outer = text.transactionIdentifier, outer != text.transactionID,
            Self.hash(hex: outer) != self.transactionID
        {
            throw InvalidToken(.parse, "transactionIdentifier is not header.transactionId")
        }
    }

    /// The key field that the version requires; the other one must be absent.
    func keyWrapping() throws(InvalidToken) -> KeyWrapping {
        guard let scheme = TokenScheme(rawValue: version) else {
            throw InvalidToken(.version, "the version is neither EC_v1 nor RSA_v1")
        }
        switch (scheme, ephemeralKey, wrappedKey) {
        case (.ec, let key?, nil): return .ephemeralKey(key)
        case (.rsa, nil, let key?): return .wrappedKey(key)
        case (.ec, _, _): throw InvalidToken(.version, "an EC_v1 token has header.ephemeralPublicKey and no wrappedKey")
        case (.rsa, _, _):
            throw InvalidToken(.version, "an RSA_v1 token has header.wrappedKey and no ephemeralPublicKey")
        }
    }

    /// SHA-256 of what Apple signs: key field, data, transaction and application data, as concatenated raw bytes.
    func signedDigest(_ wrapping: KeyWrapping) -> [UInt8] {
        var hasher = SHA256.Hasher()
        hasher.update(wrapping.bytes)
        hasher.update(data)
        hasher.update(transactionID)
        if let applicationData { hasher.update(applicationData) }
        return hasher.finish()
    }

    private static func required(_ text: String?, _ name: String) throws(InvalidToken) -> String {
        guard let text else { throw InvalidToken(.parse, "the token has no \(name)") }
        return text
    }

    private static let isNotBase64 = "is not base64 (standard alphabet, padded, without line breaks)"
    private static let isNotHash = "must be 32 bytes in hexadecimal"

    private static func refusal(_ text: String?, _ name: String, _ reason: String) -> InvalidToken {
        InvalidToken(.parse, text == nil ? "the token has no \(name)" : "\(name) \(reason)")
    }

    private static func base64(_ text: String?, _ name: String) throws(InvalidToken) -> [UInt8] {
        guard let bytes = text.flatMap({ Base64.decode($0) }), !bytes.isEmpty else {
            throw refusal(text, name, isNotBase64)
        }
        return bytes
    }

    private static func hash(hex text: String?, _ name: String) throws(InvalidToken) -> [UInt8] {
        guard let bytes = text.flatMap({ hash(hex: $0) }) else { throw refusal(text, name, isNotHash) }
        return bytes
    }

    private static func hash(hex text: String) -> [UInt8]? {
        guard let bytes = Hex.decode(text), bytes.count == SHA256.count else { return nil }
        return bytes
    }
}

/// The member `paymentMethod`: the device's unsigned description of the card.
public struct ClaimedPaymentMethod: Hashable, Sendable {
    public let displayName: String?
    public let network: String?
    /// `debit`, `credit`, `prepaid` or `store`.
    public let type: String?

    public init(displayName: String?, network: String?, type: String?) {
        self.displayName = displayName
        self.network = network
        self.type = type
    }
}

/// The encrypted content key: the member of the header that belongs to the version.
enum KeyWrapping: Sendable {
    /// The ephemeral public key, SubjectPublicKeyInfo in DER.
    case ephemeralKey([UInt8])
    /// The content key, encrypted with the merchant's RSA key.
    case wrappedKey([UInt8])

    var scheme: TokenScheme {
        switch self {
        case .ephemeralKey: .ec
        case .wrappedKey: .rsa
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .ephemeralKey(let bytes), .wrappedKey(let bytes): bytes
        }
    }
}
