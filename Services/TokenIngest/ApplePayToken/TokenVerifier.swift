import OrchardCrypto
import OrchardJSON

/// Verifies Apple Pay payment tokens according to Apple's "Payment token format reference", step by step.
///
///     let verifier = TokenVerifier()
///     let card = try await verifier.verify(bytes, at: now).decrypt(with: keys)
///
/// The caller must check what needs the order: that amount and currency are the order's, that
/// ``VerifiedToken/applicationData`` is the request's, and that no token pays twice (``VerifiedToken/transactionID``).
///
/// Make one verifier and share it: it remembers the certificate chains that it has verified, which is most of the work.
public struct TokenVerifier: Sendable {
    /// The maximum size of a token, in bytes; larger tokens are refused without reading. Real ones have up to 5 KB.
    public static let maximumSize = 65_536

    /// How far the signing time may be from the time of the verification, in seconds: five minutes, as Apple requires.
    public static let window: Int64 = 300

    private let chains: ChainVerifier

    public init(trust: Trust = .apple) {
        chains = ChainVerifier(trust: trust)
    }

    /// Verifies a token; its content stays encrypted.
    ///
    /// - Parameters:
    ///   - token: The JSON of a whole `PKPaymentToken`, or of its `paymentData` alone.
    ///   - time: When the token came in, in seconds since 1970.
    /// - Throws: ``TokenError`` of the stages `parse` to `time`.
    public func verify(_ token: [UInt8], at time: Int64) throws(TokenError) -> VerifiedToken {
        var facts = TokenFacts()
        do throws(InvalidToken) {
            return try verify(token, at: time, facts: &facts)
        } catch {
            throw TokenError(error.stage, error.reason, facts: facts)
        }
    }

    private func verify(
        _ bytes: [UInt8], at time: Int64, facts: inout TokenFacts
    ) throws(InvalidToken) -> VerifiedToken {
        let token = try PaymentToken(bytes, facts: &facts)
        let wrapping = try token.keyWrapping()
        let signed = token.signedData

        let chain = try chains.verify(
            signed.certificates, at: facts.signedAt ?? time, leafName: &facts.leaf)
        let signer = try signed.signer(of: chain)
        try signed.requireDetachedData()
        try signer.verify(content: token.signedDigest(wrapping), scheme: wrapping.scheme, key: chain.leafKey)

        guard let signedAt = try signer.attributes?.signingTime else {
            throw InvalidToken(.time, "the signature has no signing time")
        }
        guard (signedAt - Self.window...signedAt + Self.window).contains(time) else {
            throw InvalidToken(
                .time,
                "the token was signed \(Self.text(time - signedAt)), more than five minutes; ask the device for a new one"
            )
        }
        return VerifiedToken(token: token, wrapping: wrapping, signedAt: signedAt, facts: facts)
    }

    private static func text(_ age: Int64) -> String {
        age > 0 ? "\(age) seconds ago" : "\(-age) seconds in the future"
    }
}
