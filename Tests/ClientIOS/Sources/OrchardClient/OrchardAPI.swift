import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a device asks of Orchard. Everything here is safe to repeat, so a lost answer is asked for again with the same
/// bytes.
public struct OrchardAPI: Sendable {
    let ledger: URL
    let ingest: URL
    let transport: any HTTPTransport
    /// Between two tries.
    var pause = Duration.seconds(1)

    /// - Parameters:
    ///   - ledger: where the shop's proxy passes on to order-ledger, as in `https://pay.tea.example`.
    ///   - ingest: where it passes on to token-ingest; often the same.
    public init(ledger: URL, ingest: URL, transport: any HTTPTransport = URLSession.shared) {
        (self.ledger, self.ingest, self.transport) = (ledger, ingest, transport)
    }

    /// No answer came in time.
    struct Unanswered: Error {
        /// Whether a request may have arrived: then nobody here knows what became of it.
        let mayHaveArrived: Bool
    }

    struct Answer {
        let status: Int
        let body: Data
        /// Whether the same request may have arrived before.
        let isRepeated: Bool
    }

    /// Answers by which the services say that they did nothing, and that the same request may come again.
    static let undone: Set = ["busy", "not-ready", "merchant-missing", "request-refused"]

    /// A choice of the sheet: `shipping-contact`, `shipping-method`, `payment-method` or `coupon-code`.
    func change(
        _ route: String, _ body: some Encodable & Sendable, of order: OpenedOrder, until end: ContinuousClock.Instant
    ) async throws -> SheetAnswer {
        let url = ledger.appending(path: "v1/orders/\(order.orderId)/\(route)")
        let answer = try await send(url, order.ticket, JSONEncoder().encode(body), until: end)
        guard answer.status == 200 else { throw Problem(answer) }
        return try JSONDecoder().decode(SheetAnswer.self, from: answer.body)
    }

    /// A fresh ticket for a customer who looked at the sheet for longer than the old one charges.
    func ticket(of order: OpenedOrder, until end: ContinuousClock.Instant) async throws -> String {
        let url = ledger.appending(path: "v1/orders/\(order.orderId)/ticket")
        let answer = try await send(url, order.ticket, Data("{}".utf8), until: end)
        guard answer.status == 200 else { throw Problem(answer) }
        return try JSONDecoder().decode(FreshTicket.self, from: answer.body).ticket
    }

    /// Sends a token, and sends the same bytes again while no answer comes.
    ///
    /// - Parameter isRepeated: whether the token was sent before, and nobody knows whether it arrived.
    /// - Returns: the payment's id.
    func pay(
        _ body: Data, for order: OpenedOrder, isRepeated: Bool, until end: ContinuousClock.Instant
    ) async throws -> String {
        let answer = try await send(ingest.appending(path: "v1/payments"), order.ticket, body, until: end)
        if answer.status == 202 { return try JSONDecoder().decode(Accepted.self, from: answer.body).paymentId }
        let problem = Problem(answer)
        // Too late to be taken now; but it may have been taken before.
        guard problem.code == "payment-late", isRepeated || answer.isRepeated, let payment = problem.paymentId else {
            throw problem
        }
        return payment
    }

    /// What became of a payment. The service answers when there is an outcome, or after `wait` seconds.
    func payment(
        _ id: String, of order: OpenedOrder, wait: Int, until end: ContinuousClock.Instant
    ) async throws -> PaymentAnswer {
        let url = ledger.appending(path: "v1/orders/\(order.orderId)/payments/\(id)")
            .appending(queryItems: [URLQueryItem(name: "wait", value: "\(wait)")])
        let answer = try await send(url, order.ticket, nil, until: end)
        guard answer.status == 200 else { throw Problem(answer) }
        return try JSONDecoder().decode(PaymentAnswer.self, from: answer.body)
    }

    private func send(
        _ url: URL, _ ticket: String, _ body: Data?, until end: ContinuousClock.Instant
    ) async throws -> Answer {
        var request = URLRequest(url: url)
        request.httpMethod = body == nil ? "GET" : "POST"
        request.httpBody = body
        request.setValue("Bearer \(ticket)", forHTTPHeaderField: "Authorization")
        if body != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
        var mayHaveArrived = false
        while true {
            // Of the next try, if there is one.
            var pause = pause
            // A long poll waits for as long as there is time; for another answer there is time to ask again.
            request.timeoutInterval = min(max(1, (end - .now) / .seconds(1)), body == nil ? 30 : 8)
            do {
                let (body, head) = try await transport.send(request)
                let answer = Answer(status: head.statusCode, body: body, isRepeated: mayHaveArrived)
                guard answer.status == 429 || answer.status >= 500 else { return answer }
                if answer.status != 429, !Self.undone.contains(Problem(answer).code) { mayHaveArrived = true }
                if let seconds = head.value(forHTTPHeaderField: "Retry-After").flatMap(Int.init) {
                    pause = .seconds(seconds)
                }
            } catch {
                if !Self.isUnsent(error) { mayHaveArrived = true }
            }
            guard ContinuousClock.now + pause < end else { throw Unanswered(mayHaveArrived: mayHaveArrived) }
            try await Task.sleep(for: pause)
        }
    }

    /// Whether the request has certainly not left the device.
    private static func isUnsent(_ error: any Error) -> Bool {
        let codes: [URLError.Code] = [
            .notConnectedToInternet, .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .secureConnectionFailed,
        ]
        return (error as? URLError).map { codes.contains($0.code) } ?? false
    }
}
