import ApplePayToken
import Crypto
import Foundation
import HTTPTypes
import JSON
import OrchardCrypto

/// `ReadToken ROOT KEY MERCHANT < token.json`: prints what a token pays, or the stage at which it is refused.
@main
enum ReadToken {
    static func main() async throws {
        let arguments = CommandLine.arguments
        let root = try X509Certificate(file: bytes(arguments[1]))
        let token = Array(try FileHandle.standardInput.readToEnd() ?? Data())
        let now = Int64(Date().timeIntervalSince1970)
        let (request, nothing) = (HTTPRequest(path: "/pay"), JSON.null)
        do throws(TokenError) {
            print(request.path, nothing, Crypto.SHA256.byteCount, try await pay(token, arguments, under: root, at: now))
        } catch {
            print("refused at \(error.stage.rawValue), \(error.isTemporary ? "try again" : "for good")")
        }
    }

    /// The whole use of the library. `TokenVerifier()` alone trusts Apple's root; make one and share it.
    private static func pay(
        _ token: [UInt8], _ arguments: [String], under root: X509Certificate, at now: Int64
    ) async throws(TokenError) -> String {
        let verifier = TokenVerifier(trust: Trust(root: root))
        let card = try await verifier.verify(token, at: now).decrypt(with: keys(arguments[2], arguments[3]))
        return "\(card.transactionAmount) \(card.currencyCode) \(card.credential.kind.rawValue)"
    }

    private static func keys(_ file: String, _ merchant: String) -> MerchantKeyRing {
        guard let pem = try? bytes(file),
            let key = try? MerchantKey(privateKeyPEM: SecretBytes(taking: pem), merchantID: merchant)
        else { return MerchantKeyRing([]) }
        return MerchantKeyRing([key])
    }

    private static func bytes(_ file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file))) }
}
