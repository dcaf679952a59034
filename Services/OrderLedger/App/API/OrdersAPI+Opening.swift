import Contracts
import Ledger
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit

extension OrdersAPI {
    /// `POST /v1/orders`.
    ///
    /// With an `Idempotency-Key` the order's id is a function of merchant and key, so that the order itself remembers
    /// the request: the same body again is answered with the same order, another body is refused.
    func openOrder(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request)
        try request.requireContentType("application/json")
        let offered = try OfferRequest(parsing: request.body)
        if let payee = offered.payee, payee != merchant.id {
            throw OfferError(.otherPayee, field: "payee", "the API key is another merchant's")
        }
        let offer = try Offer(offered, revision: 1, maximum: merchant.maximumAmount(in: offered.currency))
        let key = try request.idempotencyKey()
        let time = now()
        let order = OfferedOrder(
            id: key.map { OrderID(merchant: merchant.id, idempotencyKey: $0) }
                ?? OrderID(time: time, randomness: SecureRandom.bytes(10)),
            merchant: merchant.id, partitions: partitions, request: offered,
            requestDigest: SHA256.hash(request.body), revision: 1, shippingMethod: offered.shippingMethod)
        do {
            try await database.withTransaction { connection in
                try await offers.open(
                    order, offer, at: time, traceparent: TraceContext.current?.traceparent, on: connection)
            }
            metrics.ordersOpened.increment()
            return try opened(order, offer, merchant)
        } catch let error as PostgresError where error.isUniqueViolation && key != nil {
            return try await repeated(order, merchant)
        }
    }

    /// Answers a request whose key is known.
    private func repeated(_ order: OfferedOrder, _ merchant: Merchant) async throws -> HTTPResponse {
        let known = try await database.withConnection { try await find(order.id, of: merchant.id, on: $0) }
        guard constantTimeEquals(known.requestDigest, order.requestDigest) else {
            throw Problem(
                .unprocessableContent, code: "idempotency-key-reused",
                detail: "this Idempotency-Key opened an order with another body; take a new key for a new order")
        }
        try refuseClosed(known)
        var response = try opened(known, try known.offer(), merchant)
        response.fields["Idempotent-Replayed"] = "true"
        return response
    }

    private func opened(_ order: OfferedOrder, _ offer: Offer, _ merchant: Merchant) throws -> HTTPResponse {
        let issued = try tickets.issue(offer, of: order, merchant: merchant)
        let sheet = PaymentSheet(order: order.id, merchant: merchant, offer: offer)
        let body = JSONWriter.object { object in
            object.member("expiresAt", issued.expiresAt.description)
            object.member("orderId", order.id.description)
            object.object("paymentRequest") { sheet.writeRequest(to: &$0) }
            object.member("revision", offer.revision)
            object.member("ticket", issued.ticket)
        }
        return .json(body, status: .created, fields: ["Location": "/v1/orders/\(order.id)"])
    }
}

extension OrderID {
    /// The order that a merchant opens under an idempotency key.
    init(merchant: MerchantID, idempotencyKey key: String) {
        self.init(hash: namedHash("order", merchant.bytes, key))
    }
}

extension CommandID {
    /// The command that a merchant gives for an order under an idempotency key.
    init(order: OrderID, idempotencyKey key: String) {
        self.init(hash: namedHash("command", order.bytes, key))
    }
}

private func namedHash(_ kind: String, _ scope: [UInt8], _ key: String) -> [UInt8] {
    var bytes = CanonicalBytes(version: 1)
    bytes.append(kind)
    bytes.append(scope)
    bytes.append(key)
    return SHA256.hash(bytes.bytes)
}

extension HTTPRequest {
    /// The `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header), if there is one.
    func idempotencyKey() throws(Problem) -> String? {
        let keys = fields.values("Idempotency-Key")
        guard let key = keys.first else { return nil }
        guard keys.count == 1, (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw Problem(
                .badRequest, code: "bad-idempotency-key",
                detail: "one Idempotency-Key of 1 to 255 visible ASCII characters is expected",
                members: ["field": "Idempotency-Key"])
        }
        return key
    }
}
