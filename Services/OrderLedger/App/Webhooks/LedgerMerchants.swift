import Contracts
import Foundation
import KeyFiles
import Ledger
import OrchardCrypto
import OrchardHTTPClient
import OrchardServiceKit

/// A snapshot of the merchants with their webhooks and the secrets of these.
struct LedgerMerchants: Sendable {
    let registry: MerchantRegistry
    let webhooks: [WebhookTarget]

    /// `merchants.json` with the secrets that it names, read again while the service runs.
    static func file(_ path: String) throws(ConfigurationError) -> CheckedFile<LedgerMerchants> {
        try CheckedFile(path: path) { path throws(ConfigurationError) in
            let file = try MerchantsFile(path: path)
            let webhooks = try targets(of: file.registry, in: file.folder)
            return file.reading(
                LedgerMerchants(registry: file.registry, webhooks: webhooks),
                naming: file.registry.merchants.flatMap(\.webhooks).flatMap(\.secrets))
        }
    }

    private static func targets(
        of registry: MerchantRegistry, in folder: URL
    ) throws(ConfigurationError) -> [WebhookTarget] {
        var targets: [WebhookTarget] = []
        var problems: [ConfigurationError.Problem] = []
        for merchant in registry.merchants {
            for (index, endpoint) in merchant.webhooks.enumerated() {
                let place = "merchants: \(merchant.displayName), webhooks[\(index)]"
                if let reason = Self.problem(of: endpoint) {
                    problems.append(.init(key: "\(place).url", reason: reason))
                }
                var keys: [HMACKey] = []
                for (index, name) in endpoint.secrets.enumerated() {
                    do throws(KeyFileError) {
                        keys.append(try Self.secret(URL(filePath: name, relativeTo: folder).absoluteURL.path))
                    } catch {
                        problems.append(.init(key: "\(place).secrets[\(index)]", reason: error.description))
                    }
                }
                targets.append(WebhookTarget(merchant: merchant.id, endpoint: endpoint, keys: keys))
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return targets
    }

    private static func problem(of endpoint: WebhookEndpoint) -> String? {
        do throws(HTTPFailure) {
            let url = try HTTPURLPolicy.httpsUnlessLoopback.check(endpoint.url)
            guard endpoint.allowPrivateAddress || HTTPAddressPolicy.publicOnly.allows(url) else {
                return "\(url.host) is no address of the public Internet; set allowPrivateAddress if it is meant"
            }
            return nil
        } catch {
            return error.reason
        }
    }

    private static func secret(_ path: String) throws(KeyFileError) -> HMACKey {
        guard let key = HMACKey(webhookSecret: try KeyFile(path).readPrivate()) else {
            throw KeyFileError(.content, path, "does not hold a secret: it is \(HMACKey.webhookForm)")
        }
        return key
    }
}

/// A shop's server with the secrets that its messages are signed with.
struct WebhookTarget: Sendable {
    let merchant: MerchantID
    let endpoint: WebhookEndpoint
    let keys: [HMACKey]

    var name: WebhookName { WebhookName(merchant: merchant, endpoint: endpoint.id) }
}

/// What identifies an endpoint.
struct WebhookName: Hashable, Sendable, Comparable, CustomStringConvertible {
    let merchant: MerchantID
    let endpoint: String

    var description: String { "\(endpoint) of \(merchant)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.merchant, left.endpoint) < (right.merchant, right.endpoint)
    }
}
