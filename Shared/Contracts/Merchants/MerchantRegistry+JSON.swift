import OrchardCrypto
import OrchardJSON

extension MerchantRegistry {
    /// Reads `merchants.json`:
    ///
    ///     {"merchants": [{
    ///       "id": "32 hex digits", "displayName": "Orchard Tea", "countryCode": "CN", "networks": ["chinaUnionPay"],
    ///       "applePay": {"merchantIdentifier": "merchant.com.example",
    ///                    "keys": [{"key": "apple/key.pem", "certificate": "apple/cert.pem"}],
    ///                    "identities": [{"key": "apple/identity.p12", "passwordFile": "apple/identity.password"}],
    ///                    "domains": [{"domain": "tea.example", "associationFile": "apple/association"}]},
    ///       "routes": [{"id": "unionpay-1", "acquirer": "unionpay", "account": "777290058110048",
    ///                   "environment": "live", "currencies": ["CNY"], "paymentData": ["EMV"],
    ///                   "networks": ["chinaUnionPay"], "captureModes": ["sale", "authorise"],
    ///                   "settings": {"signingKey": "unionpay/merchant.key",
    ///                                "signingCertificate": "unionpay/merchant.pem"}}],
    ///       "apiKeys": [{"id": "shop-1", "sha256": "64 hex digits", "scopes": ["orders", "read"]}],
    ///       "privateLabelRanges": ["603574"],
    ///       "cardRanges": [{"prefix": "622848", "type": "debit"}], "trustClaimedCardType": false,
    ///       "allowMissingApplicationData": false, "allowPayeeName": false, "contactRetentionDays": 180,
    ///       "origins": ["https://tea.example"],
    ///       "webhooks": [{"id": "shop", "url": "https://tea.example/orchard", "secrets": ["webhooks/shop.secret"],
    ///                     "events": ["order.paid", "order.closed"], "allowPrivateAddress": false}],
    ///       "maximumAmounts": [{"currency": "CNY", "amount": "50000.00"}]}]}
    ///
    /// - Throws: ``MerchantRegistryError`` with every problem of the file.
    public init(parsing bytes: [UInt8]) throws(MerchantRegistryError) {
        let root: JSONValue
        do { root = try JSONValue(parsing: bytes) } catch {
            throw MerchantRegistryError(problems: ["\(error.place(in: bytes)): \(error.reason); this is no valid JSON"])
        }
        var problems = ProblemCollector()
        problems.refuseOthers(than: ["merchants"], in: root, at: "$")
        let merchants = problems.list("merchants", in: root, at: "$") { value, path, problems in
            Self.merchant(value, path, &problems)
        }
        Self.refuseRepeats(merchants.map(\.id.description), "id", &problems)
        Self.refuseRepeats(merchants.map(\.applePay.merchantIdentifier), "applePay.merchantIdentifier", &problems)
        Self.refuseRepeats(merchants.flatMap(\.applePay.domains).map(\.name), "applePay.domains.domain", &problems)
        Self.refuseRepeats(merchants.flatMap(\.apiKeys).map { Hex.encode($0.hash) }, "apiKeys.sha256", &problems)
        Self.refuseSharedAccounts(merchants, &problems)
        guard problems.problems.isEmpty else { throw MerchantRegistryError(problems: problems.problems) }
        self.init(merchants: merchants)
    }

    private static func refuseRepeats(_ values: [String], _ name: String, _ problems: inout ProblemCollector) {
        var seen: Set<String> = []
        for value in values where !seen.insert(value).inserted {
            problems.add("$.merchants", "two have the same \(name)")
        }
    }

    /// An acquirer settles an account as one: its file and the bank's pay-outs tell no merchant, so that two could not be
    /// reconciled.
    private static func refuseSharedAccounts(_ merchants: [Merchant], _ problems: inout ProblemCollector) {
        var owners: [[String]: Merchant] = [:]
        for merchant in merchants {
            for account in Set(merchant.routes.map { [$0.acquirer, $0.account] }).sorted(by: { $0[1] < $1[1] }) {
                guard let owner = owners.updateValue(merchant, forKey: account), owner.id != merchant.id else {
                    continue
                }
                problems.add(
                    "$.merchants",
                    "\(owner.displayName) and \(merchant.displayName) have routes to one account, \(account[1]) at "
                        + "\(account[0]): its settlement file and its pay-outs tell no merchant; give each an account of "
                        + "its own")
            }
        }
    }

    private static func merchant(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> Merchant? {
        problems.refuseOthers(
            than: [
                "id", "displayName", "countryCode", "networks", "applePay", "routes", "apiKeys",
                "origins", "maximumAmounts", "cardRanges", "trustClaimedCardType", "allowPayeeName",
                "contactRetentionDays", "allowMissingApplicationData", "privateLabelRanges", "webhooks",
            ], in: value, at: path)
        let id = MerchantID(value["id"]?.string ?? "")
        if id == nil { problems.add("\(path).id", "32 lower-case hex digits are required") }
        let country = problems.text("countryCode", in: value, at: path, limit: 2)
        if country.utf8.count != 2 || !country.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            problems.add("\(path).countryCode", "two upper-case letters of ISO 3166-1 are required")
        }
        let displayName = problems.text("displayName", in: value, at: path, limit: 64)
        let networks = problems.networks("networks", in: value, at: path)
        let applePay = applePay(value["applePay"] ?? .null, "\(path).applePay", &problems)
        let privateLabel = privateLabelRanges(value, path, networks, &problems)
        let routes = routes(value, path, &problems)
        let apiKeys = problems.list("apiKeys", in: value, at: path) { apiKey($0, $1, &$2) }
        let origins = problems.list("origins", in: value, at: path, isRequired: false) { origin($0, $1, &$2) }
        let limits = problems.list("maximumAmounts", in: value, at: path, isRequired: false) { limit($0, $1, &$2) }
        let ranges = problems.list("cardRanges", in: value, at: path, isRequired: false) { cardRange($0, $1, &$2) }
        let trustsClaims = problems.flag("trustClaimedCardType", in: value, at: path)
        let allowsMissing = problems.flag("allowMissingApplicationData", in: value, at: path)
        let allowsPayees = problems.flag("allowPayeeName", in: value, at: path)
        let days = problems.integer(
            "contactRetentionDays", in: value, at: path, 1...3_650, default: Merchant.defaultContactRetentionDays)
        let webhooks = webhooks(value, path, &problems)
        guard let id else { return nil }
        return Merchant(
            id: id, displayName: displayName, countryCode: country, networks: networks, applePay: applePay,
            routes: routes, apiKeys: apiKeys, privateLabelRanges: privateLabel, cardRanges: ranges,
            trustClaimedCardType: trustsClaims,
            allowMissingApplicationData: allowsMissing,
            allowPayeeName: allowsPayees, contactRetentionDays: days, origins: origins,
            webhooks: webhooks, maximumAmounts: limits)
    }

    private static func apiKey(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> APIKey? {
        problems.refuseOthers(than: ["id", "sha256", "scopes"], in: value, at: path)
        let id = problems.text("id", in: value, at: path, limit: 64)
        guard let hash = value["sha256"]?.string.flatMap({ Hex.decode($0) }), hash.count == 32 else {
            problems.add("\(path).sha256", "the SHA-256 of the key, 64 hex digits, is required")
            return nil
        }
        guard value["scopes"] != nil else { return APIKey(id: id, scopes: Set(APIKey.Scope.allCases), hash: hash) }
        let known = APIKey.Scope.allCases.map(\.rawValue).joined(separator: ", ")
        let scopes = problems.text("scopes", in: value, at: path, of: "scope; known are \(known)") {
            APIKey.Scope(rawValue: $0)
        }
        return APIKey(id: id, scopes: Set(scopes), hash: hash)
    }

    /// Six digits at least, as an issuer has them: fewer would take the cards of whole schemes.
    private static func privateLabelRanges(
        _ value: JSONValue, _ path: String, _ networks: [CardNetwork], _ problems: inout ProblemCollector
    ) -> [String] {
        let ranges = problems.list("privateLabelRanges", in: value, at: path, isRequired: false) {
            one, path, problems in
            guard let prefix = one.string, (6...12).contains(prefix.utf8.count),
                prefix.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else {
                problems.add(path, "the first 6 to 12 digits of a card number are expected")
                return String?.none
            }
            return prefix
        }
        if networks.contains(.privateLabel) != (value["privateLabelRanges"]?.array?.isEmpty == false) {
            problems.add(
                "\(path).privateLabelRanges", "the network privateLabel and the ranges of its cards need each other")
        }
        return ranges
    }

    private static func cardRange(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> CardRange? {
        problems.refuseOthers(than: ["prefix", "type"], in: value, at: path)
        guard let type = value["type"]?.string.flatMap({ CardType(rawValue: $0) }),
            let range = CardRange(prefix: value["prefix"]?.string ?? "", type: type)
        else {
            let types = CardType.allCases.map(\.rawValue).joined(separator: ", ")
            problems.add(path, "a prefix of 2 to 12 digits and a type are required; types are \(types)")
            return nil
        }
        return range
    }

    /// Plain http only on this machine, where browsers trust it as well.
    private static func origin(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> String? {
        let origin = value.string ?? ""
        let (scheme, authority) =
            origin.hasPrefix("https://") ? ("https", origin.dropFirst(8)) : ("http", origin.dropFirst(7))
        let host = authority.prefix { $0 != ":" }
        let isHere = host == "127.0.0.1" || host == "localhost" || host.hasSuffix(".localhost")
        guard scheme == "https" || origin.hasPrefix("http://") && isHere, !host.isEmpty,
            authority.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
        else {
            problems.add(path, "an origin as in https://shop.example is expected, without a path")
            return nil
        }
        return origin
    }

    private static func limit(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> Money? {
        problems.refuseOthers(than: ["currency", "amount"], in: value, at: path)
        guard let currency = value["currency"]?.string.flatMap({ Currency($0) }) else {
            problems.add("\(path).currency", "a currency code of ISO 4217 is required")
            return nil
        }
        guard let limit = Money(decimal: value["amount"]?.string ?? "", currency: currency), limit.minorUnits > 0 else {
            problems.add("\(path).amount", Money.decimalForm(in: currency) + ", and above zero")
            return nil
        }
        return limit
    }
}
