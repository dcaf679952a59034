import Acquirers
import Charging
import Contracts
import KeyFiles
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardPostgres
import OrchardServiceKit

/// `/v1/notifications/NAME…`: receives an acquirer's notifications on any instance, at the endpoints that it declares.
///
/// It is verified, then makes the query due now; 200 tells the acquirer that it need not come again.
struct NotificationEndpoint: Sendable {
    let transactions: OrderTransactions
    let requests: ImmediateRequests
    let acquirers: AcquirerClient
    let telemetry: ChargeTelemetry
    /// Where notifications are verified, which anybody may send: not on the pool that answers the probes.
    let threads: ThreadPool
    let logger: Logger

    /// The routes of the public port: one for each endpoint of each acquirer.
    func router(_ setups: [any AcquirerSetup.Type]) -> Router {
        var router = Router()
        router.addHealth()
        for setup in setups {
            for endpoint in setup.endpoints {
                router.on(endpoint.method, "/v1/notifications/\(setup.name)\(endpoint.path)") { request, _ in
                    try await receive(request, at: endpoint, acquirer: setup.name)
                }
            }
        }
        return router
    }

    private func receive(
        _ request: HTTPRequest, at endpoint: AcquirerEndpoint, acquirer: String
    ) async throws -> HTTPResponse {
        guard let connector = acquirers[acquirer] else { throw Problem(.notFound, code: "unknown-acquirer") }
        if let contentType = endpoint.contentType { try request.requireContentType(contentType) }
        let verified: AcquirerNotification?
        do throws(NotificationError) {
            verified = try await threads.run { () throws(NotificationError) in
                try connector.notification(request, at: .now)
            }
        } catch {
            telemetry.notified(error.code)
            logger.warning("a notification is refused: \(error)", ["acquirer": acquirer])
            throw Problem(.badRequest, code: "notification-refused", detail: error.reason)
        }
        guard let notification = verified else {
            telemetry.notified(.busy)
            throw Problem(.serviceUnavailable, code: "busy", detail: "too many notifications wait; send it again")
        }
        do {
            try await record(notification)
        } catch let error as Problem {
            throw error
        } catch {
            telemetry.notified(.unavailable)
            logger.warning("a notification must come again: \(error)", ["acquirer": acquirer])
            throw Problem(.serviceUnavailable, code: "unavailable", detail: "send it again")
        }
        telemetry.notified(.heard)
        return .text("ok")
    }

    private func record(_ notification: AcquirerNotification) async throws {
        let places = try await transactions.find(notification.reference)
        // Two orders have one key only when a token was used twice; then what was echoed tells which is meant.
        let place = places.first { $0.subject.reserved == notification.answer.echoed.reserved } ?? places.first
        guard let place else {
            telemetry.notified(.unknownOrder)
            logger.warning(
                "a notification names no order of ours", ["orderNumber": notification.reference.orderNumber])
            throw Problem(.notFound, code: "unknown-order", detail: "no operation has this order number and time")
        }
        try await requests.step(
            place.subject.order, in: place.partition,
            .operation(place.subject.operation, .notified(notification.answer)), at: transactions)
    }
}
