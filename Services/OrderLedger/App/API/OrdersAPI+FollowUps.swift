import Contracts
import Ledger
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit
import Outbox

extension OrdersAPI {
    /// The most commands of one order. No real sale needs more.
    static let maximumCommands = 500

    /// A handler of `POST /v1/orders/{id}/captures`, `/voids`, `/refunds` and `/finalise`: 202 with a command for the gateway.
    ///
    /// What the ledger knows to be impossible is refused at once; the gateway decides about the rest, in the order of its
    /// commands. A repeated request with the same `Idempotency-Key` is the same command: it is sent only once, and answered
    /// with what became of it. Another request under the key is refused.
    func followUp(_ kind: FollowUpRequest.Kind) -> Router.Handler {
        { request, parameters in
            let (merchant, keyID) = try authenticator.merchant(request, .refunds)
            if !request.body.isEmpty { try request.requireContentType("application/json") }
            let id = try orderID(parameters)
            let time = now()
            let command =
                try request.idempotencyKey().map { CommandID(order: id, idempotencyKey: $0) }
                ?? CommandID(time: time, randomness: SecureRandom.bytes(10))
            let (view, isNew) = try await database.withTransaction { connection in
                let place = try await place(of: id, of: merchant.id, locked: true, on: connection)
                let known = try await OrderRecord.read(id, place, on: connection)
                let wanted = try FollowUpRequest(parsing: request.body, kind, in: known.currency)
                let view = CommandView(
                    order: id, id: command, stored: known.commands.first { $0.id == command }, state: known.state)
                if !view.isUnknown {
                    guard view.stored?.asks(for: wanted, kind, in: known.currency) ?? true else {
                        throw Problem.otherRequest
                    }
                    return (view, false)
                }
                let decision = try known.decide(wanted)
                let stored = try await send(
                    decision, wanted, command, of: known, by: keyID, at: time, on: connection)
                return (CommandView(order: id, id: command, stored: stored, state: known.state), true)
            }
            if isNew { metrics.commandsForwarded.increment() }
            let location: HTTPFields = ["Location": "/v1/orders/\(id)/commands/\(command)"]
            guard !isNew else { return .json(view.json, status: .accepted, fields: location) }
            var response = HTTPResponse.json(
                view.json, status: view.outcome.isFinal ? .ok : .accepted, fields: location)
            response.fields["Idempotent-Replayed"] = "true"
            return response
        }
    }

    /// Stores the command and the final lines, if there are any, and hands both on.
    private func send(
        _ decision: FollowUpDecision, _ wanted: FollowUpRequest, _ command: CommandID, of known: OrderRecord,
        by keyID: String, at time: Timestamp, on connection: PostgresConnection
    ) async throws -> StoredCommand {
        let claims = FollowUpRequested(
            decision.kind, command: command, order: known.id, merchant: known.merchant, payment: decision.payment,
            amount: decision.amount, parts: decision.parts, requestedAt: time, partitions: known.place.partitions)
        let traceparent = TraceContext.current?.traceparent
        if let offer = decision.finalOffer, let order = known.place.offered {
            try await offers.finalise(
                order, offer, by: command, at: time, traceparent: traceparent, on: connection)
        }
        let stored = StoredCommand(claims, at: time, reason: wanted.reason, request: wanted.json(in: known.currency))
        _ = try await offers.forward(
            try tickets.keys().signer.commands.sign(.followUp(claims)), in: known.place.partition, keyID: keyID,
            reason: stored.reason, request: stored.request, at: time, traceparent: traceparent, on: connection)
        return stored
    }
}

extension StoredCommand {
    /// Whether it was given by the same request.
    fileprivate func asks(
        for wanted: FollowUpRequest, _ kind: FollowUpRequest.Kind, in currency: Currency
    ) -> Bool {
        let own: CommandType =
            switch kind {
            case .capture, .finalise: .capture
            case .void: .void
            case .refund: .refund
            }
        return type == own.rawValue && request == wanted.json(in: currency)
    }
}
