import SandboxPKI

/// A merchant as Apple knows it: an identifier and its payment processing certificates.
public struct WalletMerchant: Sendable {
    /// One payment processing key; `generation` separates a key from its successor, both valid at once.
    public struct ProcessingKey: Sendable {
        public let scheme: Wallet.Scheme
        public let generation: Int
        public let identity: Identity
    }

    public let id: String
    public let keys: [ProcessingKey]

    /// SHA-256 of the identifier: PartyV of the key derivation.
    public var partyV: [UInt8] { Self.partyV(of: id) }

    static func partyV(of merchant: String) -> [UInt8] { Digest.sha256.hash(Array(merchant.utf8)) }

    init(id: String, keys: [ProcessingKey]) {
        self.id = id
        self.keys = keys
    }

    /// Makes two generations of keys for each scheme.
    init(_ id: String, issuer: Identity, at now: Int64) throws(PKIError) {
        let hash = Hexadecimal.encode(Self.partyV(of: id)).uppercased()
        var keys: [ProcessingKey] = []
        for scheme in Wallet.Scheme.allCases {
            for generation in 1...2 {
                let identity = try Wallet.issue(
                    "Apple Pay Payment Processing:\(id)", scheme == .ec ? .p256 : .rsa2048, issuer, now,
                    from: generation == 1 ? 365 : 1, to: generation == 1 ? 395 : 759
                ) {
                    $0.userID = id
                    $0.usage = [scheme == .ec ? .keyAgreement : .keyEncipherment]
                    $0.extensions = [(Wallet.merchantMarker, DER.utf8String(hash))]
                }
                keys.append(ProcessingKey(scheme: scheme, generation: generation, identity: identity))
            }
        }
        self.init(id: id, keys: keys)
    }
}
