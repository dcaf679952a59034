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
    /// A handler of the sheet's callbacks: `POST /v1/orders/{id}/shipping-contact`, `/shipping-method`, `/payment-method` and
    /// `/coupon-code`, with what Apple's event has.
    ///
    /// Another choice makes a new revision and its ticket. The choice in force gets a fresh ticket, so that a callback can
    /// be repeated. A choice that cannot be accepted is answered with Apple's errors.
    func changeSheet(_ kind: SheetUpdate.Kind) -> Router.Handler {
        { request, parameters in
            let ticket = try authenticator.ticket(request, for: try orderID(parameters), use: .charging)
            try request.requireContentType("application/json")
            let change = try SheetChange(kind, parsing: request.body)
            let merchant = try merchant(ticket.merchant)
            let time = now()
            let (order, offer, errors) = try await database.withTransaction { connection in
                try await requirePublishedPrices(of: ticket, on: connection)
                return try await apply(change, to: ticket, merchant, at: time, on: connection)
            }
            let issued = try tickets.issue(offer, of: order, merchant: merchant)
            let sheet = PaymentSheet(order: order.id, merchant: merchant, offer: offer)
            return Self.answer(SheetUpdate(kind, sheet, errors: errors), issued)
        }
    }

    private func apply(
        _ change: SheetChange, to ticket: OrderTicket, _ merchant: Merchant, at time: Timestamp,
        on connection: PostgresConnection
    ) async throws -> (OfferedOrder, Offer, [SheetError]) {
        let order = try await find(ticket.order, of: merchant.id, locked: true, on: connection)
        try refuseClosed(order)
        let (choice, errors) = try order.request.choice(after: change, from: order.choice, at: time)
        if choice == order.choice { return (order, try order.offer(), errors) }
        try refuseSuperseded(ticket, order)
        guard order.revision < Self.maximumRevisions else {
            throw Problem(
                .tooManyRequests, code: "too-many-revisions",
                detail: "this order was repriced too often; open a new one")
        }
        let offer = try Offer(
            order.request, revision: order.revision + 1, choice,
            maximum: merchant.maximumAmount(in: order.request.currency))
        try await offers.reprice(
            order, offer, at: time, traceparent: TraceContext.current?.traceparent, on: connection)
        metrics.ordersRepriced.increment()
        return (order, offer, errors)
    }

    private static func answer(_ update: SheetUpdate, _ issued: TicketIssuer.Issued) -> HTTPResponse {
        .json(
            JSONWriter.object { object in
                if update.kind == .couponCode { update.write(to: &object) }
                object.member("expiresAt", issued.expiresAt.description)
                object.member("orderId", update.sheet.order.description)
                object.object("passKitUpdate") { update.writePassKit(to: &$0) }
                if update.kind == .paymentMethod { update.write(to: &object) }
                object.member("revision", update.sheet.offer.revision)
                if update.kind == .shippingContact || update.kind == .shippingMethod { update.write(to: &object) }
                object.member("ticket", issued.ticket)
            })
    }

    /// Refuses a device that has not seen the newest price.
    private func refuseSuperseded(_ ticket: OrderTicket, _ order: OfferedOrder) throws(Problem) {
        guard order.revision != ticket.revision else { return }
        throw Problem(
            .conflict, code: "ticket-superseded",
            detail: "the order was repriced; use the ticket of the newest revision",
            members: ["revision": .integer(order.revision)])
    }

    /// Refuses to reprice an order while the database may lack a published price of it: a revision number would be used
    /// twice.
    private func requirePublishedPrices(of ticket: OrderTicket, on connection: PostgresConnection) async throws {
        let partition = ticket.partition
        let fence = try await connection.pipeline([LedgerSchema.inbox.fence(partition)])[0]
        do { try LedgerSchema.inbox.check(fence, partition) } catch let error as InboxError { throw Problem(error) }
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
        try refuseSuperseded(ticket, order)
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
    /// A dismissed sheet closes nothing by itself: the customer may open it again. A repeated request with the same
    /// `Idempotency-Key` is the same command: it is sent only once. Another reason under the key is refused.
    func cancelOrder(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let id = try orderID(parameters)
        let (merchant, keyID, isDevice) =
            switch try authenticator.reader(request, of: id, .orders) {
            case .device(let ticket): (ticket.merchant, "ticket", true)
            case .merchant(let merchant, let keyID): (merchant.id, keyID, false)
            }
        let reason = try CancelReason(request) ?? (isDevice ? .customer : .shop)
        let key = try request.idempotencyKey()
        let time = now()
        let command =
            key.map { CommandID(order: id, idempotencyKey: $0) }
            ?? CommandID(time: time, randomness: SecureRandom.bytes(10))
        let isNew = try await database.withTransaction { connection in
            let place = try await place(of: id, of: merchant, locked: true, on: connection)
            let known = try await connection.pipeline([StoredCommand.reading(command, of: id, in: place.partition)])
            if let status = place.offered?.status, known[0].rows.isEmpty { try Self.refuseCancel(of: id, status) }
            let signed = try tickets.keys().signer.commands.sign(
                .close(CloseRequested(command: command, order: id, merchant: merchant, partitions: place.partitions)))
            return try await offers.forward(
                signed, in: place.partition, keyID: keyID, reason: reason.rawValue, at: time,
                traceparent: TraceContext.current?.traceparent,
                on: connection)
        }
        if isNew {
            metrics.commandsForwarded.increment()
            return Self.cancelling(command, of: id, .open, .requested)
        }
        let known = try await database.withTransaction(.snapshot) { try await view(of: id, of: merchant, on: $0) }
        guard known.commands.contains(where: { $0.id == command && $0.isClosing && $0.reason == reason.rawValue })
        else {
            throw Problem.otherRequest
        }
        var response = Self.cancelling(command, of: id, known.status, known.outcome(of: command))
        response.fields["Idempotent-Replayed"] = "true"
        return response
    }

    /// Money that moved or is held does not go back by a cancel.
    private static func refuseCancel(of order: OrderID, _ status: OrderStatus) throws(Problem) {
        guard [.authorised, .paid, .review, .voided].contains(status) else { return }
        throw Problem(
            .conflict, code: "order-paid",
            detail: "the order is \(status.rawValue): a cancel gives no money back; ask for a void or a refund",
            members: ["orderId": .string(order.description), "orderStatus": .string(status.rawValue)])
    }

    /// 202 while the command is on its way, 200 with its outcome afterwards.
    private static func cancelling(
        _ command: CommandID, of order: OrderID, _ status: OrderStatus, _ outcome: CommandOutcome
    ) -> HTTPResponse {
        .json(
            outcome.json(command, of: order, status), status: outcome == .requested ? .accepted : .ok,
            fields: ["Location": "/v1/orders/\(order)"])
    }

    /// `GET /v1/merchants/{id}/apple-pay`: what an app needs to decide about its button.
    func showApplePay(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        guard let id = parameters["id"].flatMap({ MerchantID($0) }), let merchant = merchants[id] else {
            throw Problem(.notFound, code: "no-such-merchant", detail: "there is no such merchant")
        }
        let body = JSONWriter.object { object in
            object.member("countryCode", merchant.countryCode)
            object.array("currencies") { array in
                for acceptance in CardAcceptance.all(of: merchant) { array.object { acceptance.write(to: &$0) } }
            }
            object.member("displayName", merchant.displayName)
            object.member("merchantIdentifier", merchant.applePay.merchantIdentifier)
        }
        return .json(body, fields: ["Cache-Control": "public, max-age=300"])
    }
}

/// Why an order is cancelled.
private enum CancelReason: String, CaseIterable {
    case customer, shop, paidElsewhere

    /// Reads `{"reason": "paidElsewhere"}`; nil when the request has no body or no reason.
    init?(_ request: HTTPRequest) throws {
        guard !request.body.isEmpty else { return nil }
        try request.requireContentType("application/json")
        let reason = try JSONReader.read(request.body) { reader throws(JSONError) in
            var reason: CancelReason?
            try reader.object { reader, name throws(JSONError) in
                guard name == "reason" else { throw reader.unknownMember() }
                reason = try reader.word()
            }
            return reason
        }
        guard let reason else { return nil }
        self = reason
    }
}
