import Foundation
import SandboxProcesses
import SandboxWallet
import TestSupport
import Testing

/// The wallet's tokens, checked by a verifier that was written by others, in another language.
@Suite("Wallet before the independent verifier", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
struct WalletOracleTests {
    /// A line of a corpus file, as `apple_wallet.py selfcheck` reads it.
    private struct Case: Encodable {
        struct Expectation: Encodable {
            var verdict: String
            var stage: String
            var payload: JSON?
        }
        /// The payload as it was minted, in any form.
        struct JSON: Encodable {
            var text: [UInt8]
            func encode(to encoder: any Encoder) throws {
                let value = try JSONDecoder().decode([String: Member].self, from: Data(text))
                try value.encode(to: encoder)
            }
        }
        enum Member: Codable {
            case text(String), number(Int64), object([String: String])
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let text = try? container.decode(String.self) {
                    self = .text(text)
                } else if let number = try? container.decode(Int64.self) {
                    self = .number(number)
                } else {
                    self = .object(try container.decode([String: String].self))
                }
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .text(let text): try container.encode(text)
                case .number(let number): try container.encode(number)
                case .object(let members): try container.encode(members)
                }
            }
        }
        var name: String
        var at = "2026-11-21T07:03:22+00:00"
        var expect: Expectation
        var token: String
    }

    private static let moment: Int64 = 1_795_244_602  // 2026-11-21T07:03:22Z
    private static let merchants = ["merchant.com.example.orchard", "merchant.com.example.pear"]

    @Test("Correct tokens of every form are accepted with their payload, wrong ones refused at their stage")
    func corpus() async throws {
        let wallet = try Wallet(merchants: Self.merchants, at: Self.moment)
        var cases: [Case] = []
        for scheme in Wallet.Scheme.allCases {
            for request in Self.requests(scheme) {
                let token = try wallet.mint(request)
                let name = "\(scheme) \(request.content) \(request.network) \(request.generation)"
                cases.append(Self.accepted(name, token))
            }
            for fault in MintingFault.allCases {
                let token = try wallet.mint(Self.request(scheme), fault: fault)
                cases.append(
                    Case(
                        name: "\(scheme) \(fault)", expect: .init(verdict: "reject", stage: fault.stage),
                        token: String(decoding: token.json, as: UTF8.self)))
            }
        }
        let folder = try TemporaryFolder()
        try wallet.save(to: folder.url.appending(path: "wallet"))
        let lines = try cases.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        let corpus = folder.url.appending(path: "corpus.jsonl")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: corpus)
        let result = try await Oracles.run([
            Oracles.path("apple_wallet.py"), "selfcheck", folder.url.appending(path: "wallet").path, corpus.path,
        ])
        #expect(result.output == "")
        #expect(result.status == 0)
    }

    @Test("A wallet directory made by the independent wallet is read and mints tokens")
    func foreignDirectory() async throws {
        let folder = try TemporaryFolder()
        let directory = folder.url.appending(path: "wallet")
        let merchant = Self.merchants[0]
        let made = try await Oracles.run([
            Oracles.path("apple_wallet.py"), "init", directory.path, "--merchant", merchant,
        ])
        #expect(made.status == 0, "\(made.output)")
        let wallet = try Wallet(directory: directory)
        let token = try wallet.mint(MintRequest(merchant: merchant, amount: 1234))
        let file = folder.url.appending(path: "token.json")
        try Data(token.json).write(to: file)
        let check = try await Oracles.run(
            [
                Oracles.path("apple_wallet.py"), "check",
                "--root", directory.appending(path: "root.cert.pem").path,
                "--cert", directory.appending(path: "\(merchant)/processing-EC_v1-1.cert.pem").path,
                "--key", directory.appending(path: "\(merchant)/processing-EC_v1-1.key.pem").path,
            ], input: file)
        #expect(check.status == 0, "\(check.output)")
    }

    private static func accepted(_ name: String, _ token: MintedToken) -> Case {
        Case(
            name: name,
            expect: .init(verdict: "accept", stage: "payload", payload: .init(text: token.payload)),
            token: String(decoding: token.json, as: UTF8.self))
    }

    private static func request(_ scheme: Wallet.Scheme) -> MintRequest {
        var request = MintRequest(merchant: merchants[0], amount: 12_345, signedAt: moment)
        request.scheme = scheme
        return request
    }

    /// One request for each form of real tokens.
    private static func requests(_ scheme: Wallet.Scheme) -> [MintRequest] {
        var list = Wallet.Network.allCases.map { network in
            var request = request(scheme)
            request.network = network
            return request
        }
        for content in Wallet.Content.allCases where scheme == .rsa || content != .emvWithPIN {
            var request = request(scheme)
            request.content = content
            request.merchant = merchants[1]
            request.generation = 2
            request.applicationData = Array("0190a3b1c29e7b0d4f5c8e6a1b2c3d4e".utf8)
            request.cardholderName = "张三 Tom"
            list.append(request)
        }
        for (currency, amount) in [("JPY", Int64(500)), ("KWD", 1_250), ("USD", 0)] {
            var request = request(scheme)
            request.currency = currency
            request.amount = amount
            request.hasNullParameters = true
            request.hasAlgorithmProtection = false
            list.append(request)
        }
        return list
    }
}
