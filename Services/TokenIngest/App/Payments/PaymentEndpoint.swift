import ApplePayToken
import Contracts
import KafkaBridge
import KeyFiles
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJOSE
import OrchardJSON
import OrchardServiceKit

/// `POST /v1/payments`: receives a token with its ticket, decides, and answers. A 202 is sent when Kafka holds the
/// command.
struct PaymentEndpoint: Sendable {
    let verifier: TokenVerifier
    let merchants: CheckedFile<IngestMerchants>
    let missingMerchants: MissingMerchants
    let tickets: TicketCheck
    let sealingKeys: KeySetFile
    let contactKeys: KeySetFile
    let publisher: Publisher
    let admission: Admission
    /// By order: all its tickets count together.
    let ticketLimit: RateLimiter
    /// The threads that read and verify tokens: a costly token must not delay the probes.
    let threads: ThreadPool
    var recent = RecentPayments()
    let rejectionLimit = RejectionLimit()
    let rejections: RejectionQueue
    let metrics: PaymentMetrics
    let logger: Logger
    let clock: @Sendable () -> Timestamp

    func addRoutes(to router: inout Router, for browsers: BrowserAccess) {
        // A payment continues when its device disconnects: the same body gets the same answer later.
        browsers.add(.post, "/v1/payments", to: &router) { request, _ in try await respond(to: request) }
        browsers.addPreflight("/v1/payments", to: &router)
    }

    /// - Throws: a `Problem` for every answer except 202.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let answer = try await admission.admit({ try await receive(request) }) else {
            metrics.count(.busy)
            throw Problem.busy
        }
        return answer
    }

    private func receive(_ request: HTTPRequest) async throws(Problem) -> HTTPResponse {
        let time = clock()
        let (compactTicket, ticket) = try verifyTicket(request, at: time)
        try ticketLimit.admit(ticket.order.description)
        var logger = logger
        logger[metadataKey: "order_id"] = ticket.order.description
        let attemptID = AttemptID(order: ticket.order, body: request.body)
        let attempt = RecentPayments.Attempt(attemptID, ticket: compactTicket)
        if let payment = recent.payment(of: attempt, at: time) { return repeated(payment, ticket.order) }

        let decision = try await threads.run { () async throws(Problem) in
            let body = try parse(request)
            let begin = ContinuousClock.now
            defer { metrics.decision.record(begin.duration(to: .now)) }
            return await PaymentValidator(verifier: verifier, merchants: merchants.current).decide(
                body, ticket: ticket, compactTicket: compactTicket, attempt: attemptID,
                language: SheetLanguage(of: ticket, accepting: request.fields["Accept-Language"]),
                sealingTo: SealingTargets(
                    cards: sealingKeys.keys.newestActive(at: time.seconds),
                    contacts: contactKeys.keys.newestActive(at: time.seconds)), at: time
            ) { recent.isKnown($0, ticket: attempt.ticket) }
        }
        guard let decision else {
            metrics.count(.busy)
            throw .busy
        }

        switch decision {
        case .charge(let command, let contact):
            return try await accept(command, contact, attempt, ticket, at: time, logger)
        case .known(let payment): return repeated(payment, ticket.order)
        case .reject(let fact, let refusal):
            publish(fact, ticket, at: time)
            metrics.count(.rejected)
            metrics.countRejection(stage: refusal.stage)
            logger.notice(
                "payment rejected: \(refusal.message)", ["stage": refusal.stage, "reason": refusal.reason])
            throw .rejected(refusal, order: ticket.order)
        case .late(let payment, let message):
            metrics.count(.late)
            logger.info("payment came too late: \(message)", ["payment_id": payment.description])
            throw .late(payment, order: ticket.order, message: message)
        case .unsealable:
            metrics.count(.unsealable)
            logger.error(
                "a payment cannot be sealed: no key of \(sealingKeys.path) or \(contactKeys.path) is in use now")
            throw .unsealable
        case .merchantMissing:
            metrics.count(.merchantMissing)
            missingMerchants.record(ticket, logger)
            throw .merchantMissing
        }
    }

    /// Returns the ticket, even if it only allows reading the status: a device that repeats its payment late is told to
    /// do that.
    private func verifyTicket(_ request: HTTPRequest, at time: Timestamp) throws(Problem) -> (String, OrderTicket) {
        do throws(Problem) { return try tickets.read(request, for: .status, at: time) } catch {
            metrics.count(.unauthorised)
            throw error
        }
    }

    private func parse(_ request: HTTPRequest) throws(Problem) -> PaymentBody {
        do {
            try request.requireContentType("application/json")
        } catch {
            metrics.count(.malformed)
            throw error
        }
        do {
            return try PaymentBody(parsing: request.body)
        } catch {
            metrics.count(.malformed)
            throw .malformedBody(error)
        }
    }

    private func accept(
        _ command: ChargeRequested, _ contact: ContactReceived?, _ attempt: RecentPayments.Attempt,
        _ ticket: OrderTicket, at time: Timestamp, _ logger: Logger
    ) async throws(Problem) -> HTTPResponse {
        let metadata = ["payment_id": command.payment.description]
        let until = min(ticket.expiresAt, command.signedAt + .seconds(TokenVerifier.window))
        let isPublished: Bool
        do {
            isPublished = try await recent.publishing(command.payment, attempt, until: until) {
                () async throws(KafkaError) in
                // First: no money is taken for goods that cannot be shipped.
                if let contact { try await publisher.publish(contact, partition: ticket.partition, at: time) }
                try await publisher.publish(command, partition: ticket.partition, at: time)
            }
        } catch {
            metrics.count(.unacknowledged)
            logger.error("no acknowledgement for a payment, its device repeats it: \(error)", metadata)
            throw .unacknowledged(command.payment, order: command.order)
        }
        guard isPublished else {
            metrics.count(.busy)
            throw .unacknowledged(command.payment, order: command.order)
        }
        metrics.count(.accepted)
        // A step: the line of the payment's end, charge-gateway's, tells its story.
        logger.debug("payment accepted", metadata)
        return Self.accepted(command.payment, command.order)
    }

    /// Repeats the first answer; Kafka holds the payment already.
    private func repeated(_ payment: PaymentID, _ order: OrderID) -> HTTPResponse {
        metrics.count(.repeated)
        return Self.accepted(payment, order)
    }

    private static func accepted(_ payment: PaymentID, _ order: OrderID) -> HTTPResponse {
        .json(
            JSONWriter.object { object in
                object.member("orderId", order.description)
                object.member("paymentId", payment.description)
                object.member("status", "processing")
            }, status: .accepted)
    }

    /// A rejection is answered at once, even when Kafka does not answer: no money depends on it.
    private func publish(_ fact: PaymentRejected, _ ticket: OrderTicket, at time: Timestamp) {
        guard rejectionLimit.admits(ticket.order) else {
            metrics.countUnpublishedRejection()
            return
        }
        rejections.add(fact, partition: ticket.partition, at: time)
    }
}
