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
    /// `POST /v1/orders/{id}/shipping-method` with `{"shippingMethod": "courier"}`, sent by the sheet's callback.
    ///
    /// Another method makes a new revision. The method in force gets a fresh ticket.
    func chooseShipping(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let ticket = try authenticator.ticket(request, for: try orderID(parameters), use: .charging)
        try request.requireContentType("application/json")
        let method = try Self.shippingMethod(in: request.body)
        let merchant = try merchant(ticket.merchant)
        let time = now()
        let (order, offer) = try await database.withTransaction { connection in
            try await requirePublishedPrices(of: ticket, on: connection)
            let order = try await find(ticket.order, of: merchant.id, locked: true, on: connection)
            try refuseClosed(order)
            if order.shippingMethod == method { return (order, try order.offer()) }
            guard order.revision < Self.maximumRevisions else {
                throw Problem(
                    .tooManyRequests, code: "too-many-revisions",
                    detail: "this order was repriced too often; open a new one")
            }
            let offer = try Offer(
                order.request, revision: order.revision + 1, shippingMethod: method,
                maximum: merchant.maximumAmount(in: order.request.currency))
            try await offers.reprice(
                order, offer, at: time, traceparent: TraceContext.current?.traceparent, on: connection)
            metrics.ordersRepriced.increment()
            return (order, offer)
        }
        let issued = try tickets.issue(offer, of: order, merchant: merchant)
        let sheet = PaymentSheet(order: order.id, merchant: merchant, offer: offer)
        return .json(
            JSONWriter.object { object in
                object.member("expiresAt", issued.expiresAt.description)
                object.member("orderId", order.id.description)
                object.member("revision", offer.revision)
                object.object("shippingMethodUpdate") { sheet.writeShippingMethodUpdate(to: &$0) }
                object.member("ticket", issued.ticket)
            })
    }

    /// Refuses to reprice an order while the database may lack a published price of it: a revision number would be used
    /// twice.
    private func requirePublishedPrices(of ticket: OrderTicket, on connection: PostgresConnection) async throws {
        let partition = ticket.partition
        let fence = try await connection.pipeline([LedgerSchema.inbox.fence(partition)])[0]
        do { try LedgerSchema.inbox.check(fence, partition) } catch let error as InboxError { throw Problem(error) }
    }

    private static func shippingMethod(in body: [UInt8]) throws(JSONError) -> String {
        try JSONReader.read(body) { reader throws(JSONError) in
            var method: String?
            try reader.object { reader, name throws(JSONError) in
                guard name == "shippingMethod" else { throw reader.unknownMember() }
                method = try reader.string(upTo: 64)
            }
            return try reader.required(method, "shippingMethod")
        }
    }

    /// Refuses a body, because it would be ignored. An empty JSON object is allowed.
    private static func requireNoBody(_ request: HTTPRequest) throws {
        guard !request.body.isEmpty else { return }
        try request.requireContentType("application/json")
        try JSONReader.read(request.body) { reader throws(JSONError) in
            try reader.object { reader, _ throws(JSONError) in throw reader.unknownMember() }
        }
    }

    /// `POST /v1/orders/{id}/ticket`: a customer may view the sheet for longer than a ticket's lifetime.
    func exchangeTicket(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let ticket = try authenticator.ticket(request, for: try orderID(parameters), use: .status)
        try Self.requireNoBody(request)
        let merchant = try merchant(ticket.merchant)
        let order = try await database.withConnection { try await find(ticket.order, of: merchant.id, on: $0) }
        try refuseClosed(order)
        // Else an old, cheaper offer could be kept alive for ever.
        guard order.revision == ticket.revision else {
            throw Problem(
                .conflict, code: "ticket-superseded",
                detail: "the order was repriced; use the ticket of the newest revision",
                members: ["revision": .integer(order.revision)])
        }
        let issued = try tickets.issue(try order.offer(), of: order, merchant: merchant)
        return .json(
            JSONWriter.object { object in
                object.member("expiresAt", issued.expiresAt.description)
                object.member("orderId", order.id.description)
                object.member("revision", order.revision)
                object.member("ticket", issued.ticket)
            })
    }

    /// `POST /v1/orders/{id}/cancel`: only the gateway knows whether the order is still open, so this only asks.
    ///
    /// A repeated request with the same `Idempotency-Key` is the same command: it is sent only once.
    func cancelOrder(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, keyID) = try authenticator.merchant(request)
        try Self.requireNoBody(request)
        let id = try orderID(parameters)
        let key = try request.idempotencyKey()
        let time = now()
        let command =
            key.map { CommandID(order: id, idempotencyKey: $0) }
            ?? CommandID(time: time, randomness: SecureRandom.bytes(10))
        let isNew = try await database.withTransaction { connection in
            let place = try await place(of: id, of: merchant.id, locked: true, on: connection)
            let signed = try tickets.keys().signer.commands.sign(
                CancelRequested(command: command, order: id, merchant: merchant.id, partitions: place.partitions))
            return try await offers.forward(
                signed, in: place.partition, keyID: keyID, at: time, traceparent: TraceContext.current?.traceparent,
                on: connection)
        }
        if isNew {
            metrics.commandsForwarded.increment()
            return Self.cancelling(command, of: id, .open, .requested)
        }
        let known = try await database.withTransaction(.snapshot) { try await view(of: id, of: merchant.id, on: $0) }
        var response = Self.cancelling(command, of: id, known.status, known.outcome(of: command))
        response.fields["Idempotent-Replayed"] = "true"
        return response
    }

    /// 202 while the command is on its way, 200 with its outcome afterwards.
    private static func cancelling(
        _ command: CommandID, of order: OrderID, _ status: OrderStatus, _ outcome: CommandOutcome
    ) -> HTTPResponse {
        .json(
            outcome.json(command, of: order, status), status: outcome == .requested ? .accepted : .ok,
            fields: ["Location": "/v1/orders/\(order)"])
    }
}
