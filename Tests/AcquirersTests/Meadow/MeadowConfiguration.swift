import Acquirers
import Contracts
import Foundation
import OrchardHTTPClient
import OrchardJSON
import OrchardServiceKit

/// Meadow Bank, an acquirer that does not exist: the example of docs/extending.md. JSON over HTTP, a MAC over each message.
///
/// Configuration keys:
/// - `meadow.url` (required): the bank's address
/// - `meadow.secret` (required): the secret of the MAC
struct MeadowConfiguration: AcquirerSetup {
    static let name = "meadow"

    /// It does not compare our numbers: a second request would be a second charge.
    static let capabilities = AcquirerCapabilities(
        hasIdempotencyKey: false, operations: [.sale, .refund],
        currencies: Set(["JPY", "KWD"].compactMap { Currency($0) }), paymentData: [.threeDSecure],
        networks: [.jcb, .visa, .privateLabel])

    static let endpoints = [AcquirerEndpoint(contentType: "application/json")]

    let url: String
    let secret: String

    init(reader: ConfigReader) {
        let reader = reader.scoped(to: "meadow")
        url = reader.url("url", doc: "Meadow Bank's address.")
        secret = reader.secret("secret", doc: "The secret of the MAC over each message.").value
    }

    init(url: String, secret: String) {
        self.url = url
        self.secret = secret
    }

    var client: HTTPClientConfiguration { HTTPClientConfiguration() }

    /// A route's settings are `{"shop": "the merchant's name there"}`.
    func connector(
        for registry: MerchantRegistry, in folder: URL, client: HTTPClient, logger: Logger
    ) throws(ConfigurationError) -> AcquirerConnector {
        var shops: [String: String] = [:]
        var problems: [ConfigurationError.Problem] = []
        for route in registry.merchants.flatMap(\.routes) where route.acquirer == Self.name {
            if let shop = route.settings["shop"]?.string {
                shops[route.account] = shop
            } else {
                problems.append(.init(key: "route \(route.id), settings.shop", reason: "a text is required"))
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        return AcquirerConnector(Meadow(configuration: self, shops: shops, client: client))
    }
}
