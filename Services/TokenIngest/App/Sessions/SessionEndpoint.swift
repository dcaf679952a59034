import Contracts
import KeyFiles
import OrchardHTTPClient
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardServiceKit

/// `POST /v1/apple-pay/session`: asks Apple for the merchant session without which Safari shows no sheet.
///
/// A page of the merchant asks, with an order's ticket: the ticket says for which merchant, the browser's `Origin` for
/// which domain. The session itself is opaque and neither kept nor logged.
struct SessionEndpoint: Sendable {
    /// For everything, from the name's resolution to the last byte. The sheet waits for 30 seconds.
    static let timeout = Duration.seconds(10)

    let merchants: CheckedFile<IngestMerchants>
    let missingMerchants: MissingMerchants
    let tickets: TicketCheck
    let servers: SessionServers
    let client: HTTPClient
    let admission: Admission
    /// By order: all its tickets count together, for payments too.
    let ticketLimit: RateLimiter
    let metrics: SessionMetrics
    let logger: Logger
    let clock: @Sendable () -> Timestamp

    func addRoutes(to router: inout Router, for browsers: BrowserAccess) {
        browsers.add(.post, "/v1/apple-pay/session", to: &router, cancels: true) { request, _ in
            try await respond(to: request)
        }
        browsers.addPreflight("/v1/apple-pay/session", to: &router)
    }

    /// - Throws: a `Problem` for every answer except 200.
    func respond(to request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        let time = clock()
        let ticket: OrderTicket
        do throws(Problem) { ticket = try tickets.read(request, for: .charging, at: time).ticket } catch {
            metrics.count(.unauthorised)
            throw error
        }
        try ticketLimit.admit(ticket.order.description)
        let known = merchants.current
        guard let merchant = known.registry[ticket.merchant] else {
            metrics.count(.merchantMissing)
            missingMerchants.record(ticket, logger)
            throw .sessionMerchantMissing
        }
        do {
            let domain = try Self.domain(of: request, merchant)
            let address = try servers.address(for: parse(request).validationURL)
            let identity = try known.identities.identity(of: merchant.id, at: time.seconds)
            return try await ask(address, for: merchant, domain, as: identity)
        } catch let refusal as SessionRefusal {
            metrics.count(refusal.stage.outcome)
            var metadata = [
                "stage": refusal.stage.rawValue, "reason": refusal.reason, "merchant": merchant.displayName,
            ]
            metadata["status"] = refusal.appleStatus.map { "\($0)" }
            metadata["order_id"] = ticket.order.description
            logger.log(
                refusal.stage.isOfPage ? .notice : .warning,
                "no merchant session: \(refusal.message)", metadata: metadata)
            throw refusal.problem
        } catch let problem as Problem {
            throw problem
        } catch {
            metrics.count(.apple)
            logger.error("no merchant session: \(error)", ["merchant": merchant.displayName])
            throw SessionRefusal.unreachable.problem
        }
    }

    /// The host of the page that asks: Apple binds the session to it.
    private static func domain(of request: HTTPRequest, _ merchant: Merchant) throws(SessionRefusal) -> String {
        guard let origin = request.fields["Origin"] else { throw .originMissing }
        guard merchant.origins.contains(origin), let url = HTTPURL(origin) else { throw .originForeign }
        return url.host
    }

    private func parse(_ request: HTTPRequest) throws(Problem) -> SessionBody {
        do {
            try request.requireContentType("application/json")
            return try SessionBody(parsing: request.body)
        } catch let error as JSONError {
            metrics.count(.malformed)
            throw .malformedBody(error)
        } catch {
            metrics.count(.malformed)
            throw error as? Problem ?? Problem(.badRequest, code: "invalid-body")
        }
    }

    private func ask(
        _ address: String, for merchant: Merchant, _ domain: String, as identity: ClientIdentity
    ) async throws -> HTTPResponse {
        let body = JSONWriter.object { object in
            object.member("displayName", merchant.displayName)
            object.member("initiative", "web")
            object.member("initiativeContext", domain)
            object.member("merchantIdentifier", merchant.applePay.merchantIdentifier)
        }
        let request = HTTPClientRequest(
            method: .post, url: address,
            fields: ["Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Orchard"],
            body: body, timeout: Self.timeout, maximumBody: SessionAnswer.maximumSize, identity: identity)
        guard let outcome = await admission.admit({ await client.send(request) }) else {
            metrics.count(.busy)
            throw Problem.sessionsBusy
        }
        let answer = try SessionAnswer(outcome)
        metrics.count(.given)
        return .json(answer.bytes)
    }
}
