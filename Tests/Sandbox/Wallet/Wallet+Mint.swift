import Foundation
import SandboxPKI

extension Wallet {
    /// Mints a token; `tampering` makes it a wrong one.
    public func mint(_ request: MintRequest, tampering: Tampering = Tampering()) throws -> MintedToken {
        try sign(
            prepare(request, tampering: tampering), applicationData: request.applicationData, at: request.signedAt,
            tampering: tampering)
    }

    /// Does every step of a token that needs no order: the order is added when the token is signed.
    public func prepare(_ request: MintRequest, tampering: Tampering = Tampering()) throws -> PreparedToken {
        let payload = try DevicePayload(request)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        var plaintext = Array(try encoder.encode(payload))
        tampering.payload(&plaintext)

        let merchantKey = try processing(request.merchant, request.scheme, generation: request.generation)
        let (header, ciphertext) = try seal(plaintext, request, for: merchantKey, tampering.contentKey)
        return PreparedToken(
            request: request, payload: plaintext, accountNumber: payload.applicationPrimaryAccountNumber,
            secrets: payload.secrets, header: header, ciphertext: ciphertext)
    }

    /// Makes a token from a prepared one.
    ///
    /// - Parameters:
    ///   - applicationData: the bytes of the request's `applicationData`; the token carries their SHA-256.
    ///   - signedAt: Apple's signing time, seconds since 1970.
    public func sign(
        _ prepared: PreparedToken, applicationData: [UInt8]?, at signedAt: Int64, tampering: Tampering = Tampering()
    ) throws -> MintedToken {
        let request = prepared.request
        var (header, ciphertext) = (prepared.header, prepared.ciphertext)
        header.applicationData = applicationData.map { Hexadecimal.encode(Digest.sha256.hash($0)) }
        tampering.ciphertext(&ciphertext)
        tampering.header(&header)
        guard let leaf = leaves[request.scheme] else {
            throw WalletError(.badDirectory, "the wallet has no leaf for \(request.scheme.rawValue)")
        }
        var draft = SignatureDraft(
            certificates: [leaf.certificate.der, intermediate.certificate.der],
            signers: [
                SignerDraft(
                    identity: leaf, signedAt: signedAt, hasNullParameters: request.hasNullParameters,
                    hasAlgorithmProtection: request.hasAlgorithmProtection)
            ])
        tampering.signature(&draft)
        let signature = try draft.encode(Self.signedBytes(header, ciphertext))

        let number = prepared.accountNumber
        var token = PaymentToken(
            paymentData: .init(
                version: request.scheme.rawValue, data: Data(ciphertext).base64EncodedString(),
                signature: Data(signature).base64EncodedString(), header: header),
            paymentMethod: .init(
                displayName: request.displayName ?? "\(request.network.rawValue) \(number.suffix(4))",
                network: request.network.rawValue, type: request.type),
            transactionIdentifier: header.transactionId.uppercased())
        tampering.token(&token)
        var text = try token.encoded()
        tampering.text(&text)
        return MintedToken(
            json: text, transactionID: header.transactionId, payload: prepared.payload, accountNumber: number,
            secrets: prepared.secrets)
    }

    /// SHA-256 of the SubjectPublicKeyInfo, which shows the merchant which of its keys to use.
    static func publicKeyHash(_ identity: Identity) throws(PKIError) -> [UInt8] {
        Digest.sha256.hash(try identity.key.publicKey.subjectPublicKeyInfo)
    }

    /// Encrypts for the merchant: NIST SP 800-56A key derivation over ECDH, or a key wrapped with RSA-OAEP.
    private func seal(
        _ plaintext: [UInt8], _ request: MintRequest, for merchantKey: Identity, _ tamper: (inout [UInt8]) -> Void
    ) throws(PKIError) -> (header: PaymentToken.Header, ciphertext: [UInt8]) {
        var header = PaymentToken.Header(
            publicKeyHash: Data(try Self.publicKeyHash(merchantKey)).base64EncodedString(),
            transactionId: Hexadecimal.encode(request.transactionID ?? Randomness.bytes(32)))
        var key: [UInt8]
        switch request.scheme {
        case .ec:
            let ephemeral = try PrivateKey(.p256)
            let secret = try ephemeral.sharedSecret(with: merchantKey.key.publicKey)
            let algorithm = [0x0D] + Array("id-aes256-GCM".utf8) + Array("Apple".utf8)
            let party = WalletMerchant.partyV(of: request.merchant)
            key = Digest.sha256.hash([0, 0, 0, 1] + secret + algorithm + party)
            header.ephemeralPublicKey = Data(try ephemeral.publicKey.subjectPublicKeyInfo).base64EncodedString()
        case .rsa:
            key = Randomness.bytes(16)
            header.wrappedKey = Data(try merchantKey.key.publicKey.encryptOAEP(key)).base64EncodedString()
        }
        tamper(&key)
        let iv = [UInt8](repeating: 0, count: 16)
        return (header, try AuthenticatedCipher.seal(plaintext, key: key, iv: iv))
    }

    /// The bytes that Apple's signature covers: key, ciphertext, transaction identifier and application data, end to end.
    private static func signedBytes(_ header: PaymentToken.Header, _ ciphertext: [UInt8]) -> [UInt8] {
        let key = Data(base64Encoded: header.ephemeralPublicKey ?? header.wrappedKey ?? "") ?? Data()
        let tail = [header.transactionId, header.applicationData ?? ""].flatMap { Hexadecimal.decode($0) ?? [] }
        return Array(key) + ciphertext + tail
    }
}
