import OrchardCrypto
import OrchardJSON

/// The merchants of `merchants.json`, the one file that all three services read.
public struct MerchantRegistry: Hashable, Sendable {
    /// In the order of the file.
    public let merchants: [Merchant]
    private let byID: [MerchantID: Merchant]
    private let origins: Set<String>

    init(merchants: [Merchant]) {
        self.merchants = merchants
        origins = Set(merchants.flatMap(\.origins))
        byID = Dictionary(merchants.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Whether pages of a web origin may call the devices' routes.
    public func allows(origin: String) -> Bool { origins.contains(origin) }

    /// Settings whose danger an operator must know of, for the log of a start.
    public var dangers: [String] {
        merchants.filter(\.allowMissingApplicationData).map {
            "\($0.displayName) has allowMissingApplicationData: Apple's signature does not tell whose order a token pays; "
                + "what that means is in docs/adr/0002-tokens-without-application-data.md"
        }
    }

    public subscript(id: MerchantID) -> Merchant? { byID[id] }

    /// The merchant whose server sends `key`, and the name of the key.
    ///
    /// Every key is compared, so that the time depends on no key.
    public func merchant(forAPIKey key: String) -> (merchant: Merchant, key: APIKey)? {
        let digest = SHA256.hash(Array(key.utf8))
        var found: (Merchant, APIKey)?
        for merchant in merchants {
            for candidate in merchant.apiKeys where candidate.matches(digest) {
                found = found ?? (merchant, candidate)
            }
        }
        return found
    }
}

extension MerchantRegistry {
    /// A ticket with more routes could exceed ``TicketVerifier/maximumSize``.
    static let maximumRoutes = 16

    /// Reads a merchant's member `routes`.
    static func routes(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> [AcquirerRoute] {
        let routes = problems.list("routes", in: value, at: path) { route($0, $1, &$2) }
        if routes.count > maximumRoutes {
            problems.add("\(path).routes", "at most \(maximumRoutes) routes fit into a ticket")
        }
        var seen: Set<String> = []
        for (index, route) in routes.enumerated() where AcquirerRoute.isID(route.id) && !seen.insert(route.id).inserted
        {
            problems.add("\(path).routes[\(index)].id", "another route of the merchant has this id")
        }
        return routes
    }

    private static func route(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> AcquirerRoute? {
        problems.refuseOthers(
            than: [
                "id", "acquirer", "account", "environment", "currencies", "paymentData", "networks", "captureModes",
                "settings",
            ], in: value, at: path)
        let id = value["id"]?.string ?? ""
        if !AcquirerRoute.isID(id) {
            problems.add("\(path).id", "a name of 1 to 32 of a-z, 0-9 and - is required; it never changes")
        }
        let environment = value["environment"]?.string.flatMap { AcquirerRoute.Environment(rawValue: $0) }
        if environment == nil { problems.add("\(path).environment", "test or live is required") }
        let acquirer = problems.text("acquirer", in: value, at: path, limit: 32)
        return AcquirerRoute(
            id: id, acquirer: acquirer,
            account: problems.text("account", in: value, at: path, limit: 64), environment: environment ?? .test,
            currencies: problems.text("currencies", in: value, at: path, of: "currency of ISO 4217, as in CNY") {
                Currency($0)
            },
            paymentData: problems.text(
                "paymentData", in: value, at: path, of: "kind of card data; known are EMV, 3DSecure"
            ) {
                PaymentDataType(rawValue: $0)
            },
            networks: value["networks"] == nil
                ? nil
                : problems.networks("networks", in: value, at: path),
            captureModes: value["captureModes"] == nil
                ? AcquirerRoute.captureModes(of: acquirer)
                : problems.text("captureModes", in: value, at: path, of: "capture mode; known are sale, authorise") {
                    OrderTicket.CaptureMode(rawValue: $0)
                },
            settings: settings(value, path, &problems))
    }

    /// The connector reads them; their content is not known here.
    private static func settings(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> JSONValue {
        let settings = value["settings"] ?? .object([])
        if settings.members == nil { problems.add("\(path).settings", "an object is expected") }
        return settings
    }
}

/// All problems of a `merchants.json`, in one message.
public struct MerchantRegistryError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Each starts with the place, as in `merchants[1].routes[0].account: …`.
    public let problems: [String]

    public var description: String {
        "merchants.json has \(problems.count == 1 ? "a problem" : "\(problems.count) problems"):\n"
            + problems.map { "  - \($0)" }.joined(separator: "\n")
    }
}
