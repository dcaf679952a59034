import OrchardJSON

/// A server of the shop that order-ledger tells what became of orders.
public struct WebhookEndpoint: Hashable, Sendable {
    /// Its name, unique in its merchant: 1 to 32 of a-z, 0-9 and -. Stored messages name it.
    public let id: String
    /// Where messages are posted to: `https`, or `http` to this machine if ``allowPrivateAddress`` is set.
    public let url: String
    /// Files of the secrets that messages are signed with, relative to `merchants.json`; several during a rotation.
    public let secrets: [String]
    /// What it is told.
    public let events: Set<WebhookEvent>
    /// Whether its address may be one of this machine or of a private network.
    public let allowPrivateAddress: Bool

    public init(
        id: String, url: String, secrets: [String], events: Set<WebhookEvent>, allowPrivateAddress: Bool
    ) {
        self.id = id
        self.url = url
        self.secrets = secrets
        self.events = events
        self.allowPrivateAddress = allowPrivateAddress
    }
}

/// What a shop's server can be told.
public enum WebhookEvent: String, Hashable, Sendable, CaseIterable {
    /// The order is paid: deliver.
    case orderPaid = "order.paid"
    /// A payment of the order was declined. The order is still open.
    case orderDeclined = "order.declined"
    /// The order was cancelled or has expired, unpaid: nobody can pay it any more.
    case orderClosed = "order.closed"
    /// Money moved that pays no order: a person must look before anything is delivered.
    case orderReview = "order.review"
    /// The order's amount is held on the card: capture or void it in time.
    case orderAuthorised = "order.authorised"
    /// A hold has ended by its time, and nothing was captured.
    case orderAuthorisationExpired = "order.authorisationExpired"
    /// Held money was taken.
    case orderCaptured = "order.captured"
    /// A sale, a capture or a hold was undone.
    case orderVoided = "order.voided"
    /// Money was given back.
    case orderRefunded = "order.refunded"
    /// A capture, void or refund was rejected or has failed, or only a person can find out: somebody must look.
    case orderFollowUpFailed = "order.followUpFailed"
}

extension MerchantRegistry {
    /// Each endpoint costs a request for each message.
    static let maximumWebhooks = 8
    /// A rotation needs two.
    private static let maximumSecrets = 4

    /// Reads a merchant's member `webhooks`.
    static func webhooks(_ value: JSONValue, _ path: String, _ problems: inout ProblemCollector) -> [WebhookEndpoint] {
        let endpoints = problems.list("webhooks", in: value, at: path, isRequired: false) { webhook($0, $1, &$2) }
        if endpoints.count > maximumWebhooks {
            problems.add("\(path).webhooks", "at most \(maximumWebhooks) endpoints are told")
        }
        var seen: Set<String> = []
        for (index, endpoint) in endpoints.enumerated() where !seen.insert(endpoint.id).inserted {
            problems.add("\(path).webhooks[\(index)].id", "another endpoint of the merchant has this id")
        }
        return endpoints
    }

    private static func webhook(
        _ value: JSONValue, _ path: String, _ problems: inout ProblemCollector
    ) -> WebhookEndpoint? {
        problems.refuseOthers(than: ["id", "url", "secrets", "events", "allowPrivateAddress"], in: value, at: path)
        let id = value["id"]?.string ?? ""
        if !AcquirerRoute.isID(id) {
            problems.add("\(path).id", "a name of 1 to 32 of a-z, 0-9 and - is required; it never changes")
        }
        let url = problems.text("url", in: value, at: path, limit: 2_048)
        let allowsPrivate = problems.flag("allowPrivateAddress", in: value, at: path)
        let isSecure = url.lowercased().hasPrefix("https://")
        if !url.isEmpty, !isSecure, !(allowsPrivate && url.lowercased().hasPrefix("http://")) {
            problems.add("\(path).url", "an address that begins with https:// is required")
        }
        let secrets = problems.list("secrets", in: value, at: path) { secret, path, problems -> String? in
            guard let file = secret.string, (1...1_024).contains(file.utf8.count) else {
                problems.add(path, "the path of a file with a secret is required")
                return nil
            }
            return file
        }
        if secrets.count > maximumSecrets {
            problems.add("\(path).secrets", "at most \(maximumSecrets) secrets sign a message")
        }
        let known = WebhookEvent.allCases.map(\.rawValue).joined(separator: ", ")
        let events =
            value["events"] == nil
            ? WebhookEvent.allCases
            : problems.text("events", in: value, at: path, of: "event; known are \(known)") {
                WebhookEvent(rawValue: $0)
            }
        return WebhookEndpoint(
            id: id, url: url, secrets: secrets, events: Set(events), allowPrivateAddress: allowsPrivate)
    }
}
