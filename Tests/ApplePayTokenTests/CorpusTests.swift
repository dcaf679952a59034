import ApplePayToken
import Foundation
import OrchardCrypto
import OrchardJSON
import SandboxProcesses
import TestSupport
import Testing

/// Every case of the independent wallet, both must and should.
@Suite("Corpus of the Python wallet", .enabled(if: Oracles.arePresent, "\(Oracles.absence)"))
struct CorpusTests {
    @Test("every case gives the expected result, at an expected stage", arguments: [1, 20_261_121])
    func corpus(_ seed: Int) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "orchard-corpus-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        let cases = directory.appending(path: "cases.jsonl")
        for arguments in [["init", directory.path], ["corpus", directory.path, cases.path, "--seed", "\(seed)"]] {
            let run = try await Oracles.run([Oracles.path("apple_wallet.py")] + arguments)
            try #require(run.status == 0, "\(run.output)")
        }

        let verifier = TokenVerifier(trust: Trust(root: try certificate(directory, "root.cert.pem")))
        let keys = try merchantKeys(directory)
        var count = 0
        for line in try Data(contentsOf: cases).split(separator: UInt8(ascii: "\n")) {
            try await check(JSONValue(parsing: Array(line)), verifier, keys)
            count += 1
        }
        #expect(count > 300, "the corpus has its cases")
    }

    private func check(_ row: JSONValue, _ verifier: TokenVerifier, _ keys: MerchantKeyRing) async throws {
        let name = try #require(row["name"]?.string)
        let token = Array(try #require(row["token"]?.string).utf8)
        let at = try Date(#require(row["at"]?.string), strategy: .iso8601)
        let expected = try #require(row["expect"])
        let label: Comment = "\(name) (\(row["level"]?.string ?? ""))"
        do throws(TokenError) {
            let card = try await verifier.verify(token, at: Int64(at.timeIntervalSince1970)).decrypt(with: keys)
            #expect(expected["verdict"]?.string == "accept", label)
            let payload = card.json(revealing: true)
            for member in expected["payload"]?.members ?? [] where member.name != "somethingNew" {
                #expect(payload[member.name].map(sorted) == sorted(member.value), label)
            }
        } catch {
            // The wallet can share a payment among merchants. Orchard does not pass shares on, so it refuses such a
            // token.
            if name.contains("multi-token"), error.stage == .payload { return }
            let stages = ([expected["stage"] ?? .null] + (expected["also"]?.array ?? [])).compactMap(\.string)
            #expect(expected["verdict"]?.string == "reject", "\(name): \(error)")
            #expect(stages.contains(error.stage.rawValue), "\(name): \(error)")
        }
    }

    private func merchantKeys(_ directory: URL) throws -> MerchantKeyRing {
        let manifest = try JSONValue(parsing: Array(Data(contentsOf: directory.appending(path: "manifest.json"))))
        let rows = try #require(manifest["merchants"]?.array).flatMap { $0["processing"]?.array ?? [] }
        return MerchantKeyRing(
            try rows.map { row in
                let (key, cert) = (try #require(row["key"]?.string), try #require(row["cert"]?.string))
                return try MerchantKey(
                    privateKeyPEM: SecretBytes(copying: Data(contentsOf: directory.appending(path: key))),
                    certificate: certificate(directory, cert))
            })
    }

    private func certificate(_ directory: URL, _ name: String) throws -> X509Certificate {
        try X509Certificate(pem: String(contentsOf: directory.appending(path: name), encoding: .utf8))
    }
}

/// The value with all members sorted, for comparison.
func sorted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
        .object(members.map { JSONMember($0.name, sorted($0.value)) }.sorted { $0.name < $1.name })
    case .array(let elements): .array(elements.map(sorted))
    default: value
    }
}
