import Contracts
import Ledger
import OrchardHTTPClient
import OrchardHTTPTypes
import OrchardServiceKit

/// Sends messages over HTTP. A connection to a private address is never used for an endpoint that may not have one: each
/// kind has a client of its own.
struct WebhookClients: Sendable {
    let toPublic: HTTPClient
    let toAny: HTTPClient

    /// A shop's server has so long for its answer; less than ``WebhookRetry/lease``.
    static let limit = Duration.seconds(15)

    /// - Parameter authorities: PEM file of the authorities that are trusted, instead of the system's.
    init(authorities: String? = nil, logger: Logger, metrics: MetricsRegistry) {
        var configuration = HTTPClientConfiguration()
        configuration.caFile = authorities
        configuration.totalTimeout = Self.limit
        configuration.maximumBody = 256 << 10
        configuration.maximumHead = 32 << 10
        // The log of a failing endpoint is the delivery's own: a line when it begins to fail, not one for each try.
        var logger = logger.scoped(to: "http")
        logger.level = max(logger.level, .error)
        toAny = HTTPClient(configuration: configuration, logger: logger, metrics: metrics)
        configuration.addressPolicy = .publicOnly
        toPublic = HTTPClient(configuration: configuration, logger: logger, metrics: metrics)
    }

    /// Sends a message once.
    ///
    /// - Returns: how it ended, and why it failed, without anything of the answer's content.
    func send(
        _ body: [UInt8], id: EventID, to target: WebhookTarget, at time: Timestamp
    ) async -> (result: WebhookRetry.Result, reason: String?) {
        let signature = WebhookSignature(id: id.description, time: time, body: body)
        let request = HTTPClientRequest(
            method: .post, url: target.endpoint.url,
            fields: [
                "Content-Type": "application/json", "User-Agent": "Orchard", "webhook-id": id.description,
                "webhook-timestamp": signature.timestamp, "webhook-signature": signature.header(target.keys),
            ], body: body)
        switch await (target.endpoint.allowPrivateAddress ? toAny : toPublic).send(request) {
        case .answered(let answer):
            let status = answer.response.status.code
            switch status {
            case 200..<300: return (.answered(status: status), nil)
            case 300..<400: return (.answered(status: status), "answered \(status): redirects are not followed")
            default: return (.answered(status: status), "answered \(status)")
            }
        case .notSent(let failure), .unknown(let failure):
            switch failure.code {
            case .cancelled, .stopped: return (.stopped, nil)
            default: return (.failed, failure.description)
            }
        }
    }
}
