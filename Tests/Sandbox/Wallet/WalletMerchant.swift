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
    /// What its servers show to Apple's, for sessions on the web.
    public let identity: Identity

    /// SHA-256 of the identifier: PartyV of the key derivation.
    public var partyV: [UInt8] { Self.partyV(of: id) }

    static func partyV(of merchant: String) -> [UInt8] { Digest.sha256.hash(Array(merchant.utf8)) }

    init(id: String, keys: [ProcessingKey], identity: Identity) {
        self.id = id
        self.keys = keys
        self.identity = identity
    }

    /// Makes two generations of keys for each scheme, and an identity.
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
        self.init(id: id, keys: keys, identity: try Self.identity(id, issuer: issuer, at: now))
    }

    /// Makes a Merchant Identity certificate with a new key.
    ///
    /// - Parameters:
    ///   - before: days for which it has been valid.
    ///   - after: days for which it will be; below zero for one that has ended.
    static func identity(
        _ id: String, issuer: Identity, at now: Int64, from before: Int64 = 1, to after: Int64 = 759
    ) throws(PKIError) -> Identity {
        try Wallet.issue(
            "Apple Pay Merchant Identity:\(id)", .rsa2048, issuer, now, from: before, to: after
        ) {
            $0.userID = id
            $0.usage = [.digitalSignature, .keyEncipherment]
            $0.extensions = [
                (Wallet.merchantMarker, DER.utf8String(Hexadecimal.encode(partyV(of: id)).uppercased())),
                // extendedKeyUsage: clientAuth
                ("2.5.29.37", DER.sequence(DER.objectIdentifier("1.3.6.1.5.5.7.3.2"))),
            ]
        }
    }
}
