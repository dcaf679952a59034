import ApplePayToken
import CYardstick
import Foundation
import OrchardCrypto
import OrchardJOSE
import SandboxPKI
import SandboxWallet

/// Card data sealed by token-ingest and opened by charge-gateway.
struct SealingBenchmark: LocalBenchmark {
    let name = "sealing"
    let limit = """
        A fresh key and two agreements are what ECDH-ES costs; the rest is AES, the derivation, and the text of the JWE.
        """

    func run(scale: Int) async throws -> [Row] {
        let key = try P256PrivateKey.generate()
        let card = SecretBytes(copying: [UInt8](repeating: 52, count: 400))
        let (payment, ticket) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32))
        let comparison = try await Comparison(max(1, 400 * scale / 100), yardstick: yardstick_sealing) { count in
            for _ in 0..<count {
                let sealed = try JWE.seal(card, to: key.publicKey, keyID: "key", apu: payment, apv: ticket)
                let opened = try JWE.open(sealed, keys: { _ in key }, apu: payment, apv: ticket)
                guard opened.count == card.count else { throw BenchError("the card data are others") }
            }
        }
        return [
            Row(
                name: "card data of 400 bytes sealed and opened", value: comparison.value, unit: "a CPU-second",
                yardstick: ("a key and two agreements", comparison.yardstick), bound: .atLeastShare(1 / 1.2),
                aim: .atLeastShare(1 / 1.1), alarm: 0.4)
        ]
    }
}

/// Apple Pay tokens of a known chain, verified and decrypted.
struct TokenBenchmark: LocalBenchmark {
    let name = "tokens"
    let limit = """
        The certificates of a token are known after the first one. Beside the two primitives a token is parsed twice (JSON, \
        CMS) and its card data are decrypted and parsed. The faster a machine's elliptic curves, the more that weighs.
        """
    private static let merchant = "merchant.com.example.bench"

    func run(scale: Int) async throws -> [Row] {
        let now = Int64(Date().timeIntervalSince1970)
        let wallet = try Wallet(merchants: [Self.merchant], at: now)
        let verifier = TokenVerifier(trust: Trust(root: try X509Certificate(der: wallet.root.certificate.der)))
        let keys = MerchantKeyRing(
            try wallet.merchants.flatMap(\.keys).map { key in
                try MerchantKey(
                    privateKeyPEM: SecretBytes(copying: key.identity.key.pem.utf8),
                    certificate: X509Certificate(der: key.identity.certificate.der))
            })
        var rows: [Row] = []
        let schemes: [(Wallet.Scheme, name: String, limit: String, Int, (Int64) -> Int64, least: Double)] = [
            (.ec, "EC_v1", "an ECDSA verification and an agreement", 1_000, yardstick_ec_token, 0.8),
            (.rsa, "RSA_v1", "an RSA verification and a decryption", 400, yardstick_rsa_token, 0.79),
        ]
        for (scheme, name, limit, usual, yardstick, least) in schemes {
            var request = MintRequest(merchant: Self.merchant, amount: 1234, signedAt: now)
            request.scheme = scheme
            let token = try wallet.mint(request).json
            let comparison = try await Comparison(max(1, usual * scale / 100), yardstick: yardstick) { count in
                for _ in 0..<count { _ = try await verifier.verify(token, at: now).decrypt(with: keys) }
            }
            rows.append(
                Row(
                    name: "\(name) tokens verified and decrypted", value: comparison.value, unit: "a CPU-second",
                    yardstick: (limit, comparison.yardstick), bound: .atLeastShare(least),
                    aim: .atLeastShare(0.9), alarm: least / 2))
        }
        return rows
    }
}
