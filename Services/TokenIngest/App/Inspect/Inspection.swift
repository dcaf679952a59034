import ApplePayToken
import Contracts
import Foundation
import KeyFiles
import OrchardCrypto
import OrchardJSON
import OrchardServiceKit

/// The inspection of one token with the trust, keys and time that the command line names.
struct Inspection: Sendable {
    /// The stages in their order, for the help text.
    static let stages = TokenStage.allCases.map(\.rawValue).joined(separator: ", ")

    let trust: Trust
    /// nil: verify only.
    let keys: MerchantKeyRing?
    let time: Timestamp
    let isRevealing: Bool

    /// Reads what the options name.
    ///
    /// - Throws: ``UsageError`` for options that do not fit or files that cannot be read, ``ConfigurationError`` for a
    ///   wrong merchants.json.
    init(_ invocation: Invocation, now: Timestamp) throws {
        isRevealing = invocation.has("reveal")
        if let text = invocation[option: "at"] {
            guard let time = Timestamp(rfc3339: text) else {
                throw UsageError("--at \(text) is not a time such as 2018-01-26T13:55:18Z")
            }
            self.time = time
        } else {
            time = now
        }
        if let path = invocation[option: "root"] {
            trust = Trust(root: try Self.certificate(path, "--root"))
        } else {
            trust = .apple
        }
        keys = try Self.keys(invocation)
    }

    /// The token in a payment's body, `{"token": …}`; any other text is returned unchanged.
    static func unwrapped(_ text: [UInt8]) -> [UInt8] {
        guard let body = try? JSONValue(parsing: text), body["paymentData"] == nil, body["signature"] == nil,
            let token = body["token"]
        else { return text }
        return token.bytes
    }

    /// The report on a token.
    func report(on token: [UInt8]) async -> InspectionReport {
        do throws(TokenError) {
            let verified = try TokenVerifier(trust: trust).verify(token, at: time.seconds)
            guard let keys else { return InspectionReport(accepted: verified.facts, stage: .time, payload: nil) }
            let card = try await verified.decrypt(with: keys)
            return InspectionReport(
                accepted: verified.facts, stage: .payload, payload: card.json(revealing: isRevealing))
        } catch {
            return InspectionReport(rejected: error)
        }
    }

    private static func keys(_ invocation: Invocation) throws -> MerchantKeyRing? {
        let pairs = try KeyOptions.pairs(invocation.options)
        guard let path = invocation[option: "merchants"] else {
            return pairs.isEmpty ? nil : MerchantKeyRing(try pairs.map(key))
        }
        guard pairs.isEmpty else { throw UsageError("--merchants and --key exclude each other") }
        let file = try MerchantsFile(path: path)
        return try ProcessingKeys(file.registry, folder: file.folder).all
    }

    private static func key(_ options: KeyOptions) throws -> MerchantKey {
        do {
            let pem = try KeyFile(options.key).readPrivate()
            switch options.merchant {
            case .certificate(let path):
                return try MerchantKey(privateKeyPEM: pem, certificate: certificate(path, "--certificate"))
            case .identifier(let identifier): return try MerchantKey(privateKeyPEM: pem, merchantID: identifier)
            case nil: return try MerchantKey(rsaPrivateKeyPEM: pem)
            }
        } catch let error as CryptoError {
            throw UsageError("--key \(options.key): \(error.reason)")
        } catch let error as KeyFileError {
            throw UsageError("--key \(error)")
        }
    }

    private static func certificate(_ path: String, _ option: String) throws(UsageError) -> X509Certificate {
        let file = try bytes(path, option)
        do throws(CryptoError) { return try X509Certificate(file: file) } catch {
            throw UsageError("\(option) \(path): \(error.reason)")
        }
    }

    private static func bytes(_ path: String, _ option: String) throws(UsageError) -> [UInt8] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw UsageError("\(option) \(path) cannot be read")
        }
        return Array(data)
    }
}
