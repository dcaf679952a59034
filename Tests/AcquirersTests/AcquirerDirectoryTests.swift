import Acquirers
import Contracts
import OrchardServiceKit
import Testing

@Suite("The acquirers of merchants.json")
struct AcquirerDirectoryTests {
    private func registry(
        _ acquirer: String, allowsMissing: Bool = false, captureModes: String? = nil
    ) throws -> MerchantRegistry {
        let (currency, kind) = acquirer == "meadow" ? ("JPY", "3DSecure") : ("CNY", "EMV")
        return try MerchantRegistry(
            parsing: Array(
                """
                {"merchants": [{"id": "0198f3a2b4c57d6e8f901a2b3c4d5e6f", "displayName": "Tea", "countryCode": "CN",
                  "networks": ["chinaUnionPay"], "allowMissingApplicationData": \(allowsMissing),
                  "applePay": {"merchantIdentifier": "merchant.example", "keys": [{"key": "a.pem"}]},
                  "routes": [{"id": "one", "acquirer": "\(acquirer)", "account": "777290058110048", "environment": "test",
                    "currencies": ["\(currency)"], "paymentData": ["\(kind)"]
                    \(captureModes.map { ", \"captureModes\": \($0)" } ?? "")}],
                  "apiKeys": [{"id": "k", "sha256": "\(String(repeating: "0", count: 64))"}]}]}
                """.utf8))
    }

    @Test(
        "charge a merchant that takes tokens without applicationData only if they name the order that they charged",
        arguments: [("meadow", true, true), ("meadow", false, false), ("unionpay", true, false)])
    func naming(_ acquirer: String, _ allowsMissing: Bool, _ isRefused: Bool) throws {
        let problems = AcquirerDirectory.problems(
            of: try registry(acquirer, allowsMissing: allowsMissing),
            for: [MeadowConfiguration.self] + AcquirerDirectory.setups)
        #expect(problems.isEmpty != isRefused)
        if isRefused { #expect(problems.first?.reason.contains("does not tell which order") == true) }
    }

    @Test(
        "hold money only where they can capture and void it too",
        arguments: [
            ("meadow", nil, false), ("meadow", #"["sale"]"#, false), ("meadow", #"["sale", "authorise"]"#, true),
            ("unionpay", nil, false), ("unionpay", #"["authorise"]"#, false),
        ] as [(String, String?, Bool)])
    func captureModes(_ acquirer: String, _ modes: String?, _ isRefused: Bool) throws {
        let problems = AcquirerDirectory.problems(
            of: try registry(acquirer, captureModes: modes),
            for: [MeadowConfiguration.self] + AcquirerDirectory.setups)
        #expect(problems.map(\.key) == (isRefused ? ["merchants: Tea, routes[0].captureModes"] : []))
    }
}
