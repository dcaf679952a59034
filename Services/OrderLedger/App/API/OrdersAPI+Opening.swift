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
    /// `POST /v1/orders`.
    ///
    /// A repeated request with the same `Idempotency-Key`, in any order of members, is answered with the same order:
    /// with a fresh ticket while it is open, with its state afterwards. Another request is refused.
    func openOrder(_ request: HTTPRequest, _ parameters: RouteParameters) async throws -> HTTPResponse {
        let (merchant, _) = try authenticator.merchant(request, .orders)
        try request.requireContentType("application/json")
        let offered = try OfferRequest(parsing: request.body)
        let presets = try PresetContacts(parsing: request.body)
        let key = try request.idempotencyKey().map { IdempotencyKey(merchant: merchant.id, text: $0) }
        let time = now()
        let order = OfferedOrder(
            id: key?.order ?? OrderID(time: time, randomness: SecureRandom.bytes(10)), merchant: merchant.id,
            partitions: partitions, request: offered, revision: 1, choice: offered.initialChoice)
        do {
            try OfferRules(offered, of: merchant, minimumLife: minimumLife).check(at: time)
            try presets.check(offered)
            let offer = try Offer(offered, revision: 1, maximum: merchant.maximumAmount(in: offered.currency))
            let new = NewOrder(
                order: order, offer: offer, key: key, time: time, traceparent: TraceContext.current?.traceparent)
            try await openings.perform(new, of: order.id) { new in
                try await database.withTransaction(.group) { try await offers.open(new, on: $0) }
            }.get()
            metrics.ordersOpened.increment()
            return try opened(order, offer, merchant, presets)
        } catch let error
            where error is OfferError || error is KnownKey || (error as? PostgresError)?.isUniqueViolation == true
        {
            // The key is known, or its order was opened under rules that would refuse it now.
            guard let key, let answer = try await repeated(key, order, merchant, presets) else { throw error }
            return answer
        } catch let error as InboxError {
            throw Problem(error)
        } catch is ForgottenOrder {
            guard let key else { throw Problem.noSuchOrder }
            try await apply(order, merchant, under: key, at: time)
            guard let answer = try await repeated(key, order, merchant, presets) else { throw Problem.noSuchOrder }
            return answer
        }
    }

    /// Stores an order again that only the books have, if the request is the original one: each published price must
    /// follow from the request.
    private func apply(
        _ order: OfferedOrder, _ merchant: Merchant, under key: IdempotencyKey, at time: Timestamp
    ) async throws {
        do {
            try await database.withTransaction { connection in
                guard let (state, partition) = try await ForgottenOrders.find(order.id, on: connection),
                    let newest = state.offers.last(where: { $0.revision != state.finalRevision })
                else { throw Problem.noSuchOrder }
                let published = try await ForgottenOrders.offers(of: state, in: partition, on: connection)
                let prices = try published.map { published in
                    let offer = try? Offer(
                        order.request, revision: published.revision, OfferChoice(publishedBy: published))
                    let fact = offer?.fact(order: order.id, merchant: merchant.id, partitions: published.partitions)
                    guard let offer, fact?.offerFact == published else { throw Problem.otherRequest }
                    return offer
                }
                let known = OfferedOrder(
                    id: order.id, merchant: merchant.id, partitions: newest.partitions, request: order.request,
                    revision: newest.revision, choice: prices.last?.choice ?? order.choice)
                try await offers.apply(known, prices, under: key, at: time, on: connection)
            }
        } catch let error as PostgresError where error.isUniqueViolation {
            // Another request has done it.
        }
    }

    /// Answers a request whose key is known; nil when the key is new.
    private func repeated(
        _ key: IdempotencyKey, _ order: OfferedOrder, _ merchant: Merchant, _ presets: PresetContacts
    ) async throws -> HTTPResponse? {
        let known: OrderView? = try await database.withTransaction(.snapshot) { connection in
            guard let id = try await offers.keys.order(of: key, on: connection) else { return nil }
            return try await view(of: id, of: merchant.id, on: connection)
        }
        guard var known, let offered = known.offered else { return nil }
        known.isForShop = true
        guard constantTimeEquals(offered.requestDigest, order.requestDigest) else { throw Problem.otherRequest }
        // The ticket is of the revision in force: the device's later choices stay.
        var response =
            offered.status == .open
            ? try opened(offered, try offered.offer(), merchant, presets)
            : .json(known.json, fields: ["Location": "/v1/orders/\(offered.id)"])
        response.fields["Idempotent-Replayed"] = "true"
        return response
    }

    private func opened(
        _ order: OfferedOrder, _ offer: Offer, _ merchant: Merchant, _ presets: PresetContacts
    ) throws -> HTTPResponse {
        let issued = try tickets.issue(offer, of: order, merchant: merchant)
        let sheet = PaymentSheet(order: order.id, merchant: merchant, offer: offer, presets: presets)
        let body = JSONWriter.object { object in
            object.member("expiresAt", issued.expiresAt.description)
            object.member("orderId", order.id.description)
            object.object("passKitRequest") { sheet.writePassKitRequest(to: &$0) }
            object.object("paymentRequest") { sheet.writeRequest(to: &$0) }
            object.member("revision", offer.revision)
            object.member("ticket", issued.ticket)
        }
        return .json(body, status: .created, fields: ["Location": "/v1/orders/\(order.id)"])
    }
}
