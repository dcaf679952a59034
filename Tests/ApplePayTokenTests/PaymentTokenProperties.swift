import ApplePayToken
import OrchardCrypto

/// The properties of the token verifier for every input; the fuzzer and the replay of its inputs share them.
///
/// An input is a CMS signature when its first byte is even, else the token's whole text.
struct PaymentTokenProperties {
    private let verifier = TokenVerifier()

    /// Checks one input; returns what is wrong, or nil. No input is signed by Apple at second zero of 1970, so none is
    /// accepted.
    func violation(_ bytes: [UInt8]) -> String? {
        guard let kind = bytes.first else { return nil }
        let rest = Array(bytes.dropFirst())
        do throws(TokenError) {
            _ = try verifier.verify(kind.isMultiple(of: 2) ? Self.token(signature: rest) : rest, at: 0)
            return "a made-up token is accepted"
        } catch {
            return error.reason.isEmpty ? "a refusal without a reason" : nil
        }
    }

    private static func token(signature: [UInt8]) -> [UInt8] {
        let zeros = String(repeating: "00", count: 32)
        let hash = Base64.encode([UInt8](repeating: 0, count: 32))
        return Array(
            """
            {"version":"EC_v1","data":"AAAA","signature":"\(Base64.encode(signature))","header":{"ephemeralPublicKey":"AAAA",\
            "publicKeyHash":"\(hash)","transactionId":"\(zeros)"}}
            """.utf8)
    }
}
