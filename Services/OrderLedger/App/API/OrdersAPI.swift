import Contracts
import KeyFiles
import Ledger
import OrchardCrypto
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON
import OrchardPostgres
import OrchardServiceKit

/// The HTTP API of the ledger for shops' servers and devices.
///
/// | request | who | does |
/// |---|---|---|
/// | `POST /v1/orders` | API key | prices an order: 201 with Apple's payment request and a ticket |
/// | `POST /v1/orders/{id}/shipping-contact` | ticket | the sheet's callback: new totals and a new ticket |
/// | `POST /v1/orders/{id}/shipping-method` | ticket | the same |
/// | `POST /v1/orders/{id}/payment-method` | ticket | the same |
/// | `POST /v1/orders/{id}/coupon-code` | ticket | the same |
/// | `GET /v1/merchants/{id}/apple-pay` | everybody | networks and capabilities, before there is an order |
/// | `POST /v1/orders/{id}/ticket` | ticket | a fresh ticket of the same revision |
/// | `GET /v1/orders` | API key | the merchant's orders, page by page |
/// | `GET /v1/orders/{id}` | API key or ticket | the order |
/// | `GET /v1/orders/{id}/timeline` | API key | its facts, rejected attempts and commands |
/// | `GET /v1/orders/{id}/payments/{payment}?wait=N` | API key or ticket | the payment, awaited up to N seconds |
/// | `POST /v1/orders/{id}/captures` | API key | takes held money: 202 with a command id |
/// | `POST /v1/orders/{id}/finalise` | API key | the same, with the final lines of a pending total |
/// | `POST /v1/orders/{id}/voids` | API key | undoes the payment |
/// | `POST /v1/orders/{id}/refunds` | API key | gives money back |
/// | `GET /v1/orders/{id}/commands/{command}?wait=N` | API key | what became of a command, awaited up to N seconds |
/// | `POST /v1/orders/{id}/fulfilments` | API key | reports that goods were shipped, are ready, or were served |
/// | `GET /v1/orders/{id}/contact` | API key | whom the paid order goes to |
/// | `DELETE /v1/orders/{id}/contact` | API key | erases the customer's contact for ever |
/// | `GET /v1/settlements` | API key | the merchant's settled days as they were last reconciled |
/// | `POST /v1/orders/{id}/cancel` | API key or ticket | asks the gateway to close it: 202 with a command id |
struct OrdersAPI: Sendable {
    let database: PostgresPool
    /// The current merchants. They change while the service runs.
    let registry: @Sendable () -> MerchantRegistry
    let missingMerchants: MissingMerchants
    let tickets: TicketIssuer
    let limits: RequestLimits
    let offers: OfferStore
    let statusChanges: OrderStatusChanges
    let metrics: LedgerMetrics
    let logger: Logger
    /// The number of partitions that new orders are spread over.
    let partitions: Int32
    let now: @Sendable () -> Timestamp
    /// Orders that are opened at the same time share a transaction.
    let openings = InputGroups<OrderID, NewOrder, Result<Void, any Error>>(GroupLimits(inputs: Self.waiting))
    /// Devices that are told of a change at the same time read it together.
    let paymentReads = InputGroups<PaymentPlace, PaymentPlace, StoredPayment?>(GroupLimits(inputs: Self.waiting))
    /// The shortest life of an order that says when it ends.
    var minimumLife = OfferRules.minimumLife

    /// Requests of one kind that may wait for the database.
    private static let waiting = 1_024
    /// The most revisions of one order. No real customer needs more.
    static let maximumRevisions: Int64 = 500

    var merchants: MerchantRegistry { registry() }

    var authenticator: Authenticator { Authenticator(merchants: merchants, tickets: tickets, limits: limits) }

    /// The routes of the public port.
    var router: Router {
        var router = Router()
        router.addHealth()
        router.on(.post, "/v1/orders", handler: answering(openOrder))
        router.on(.get, "/v1/orders", whenClientLeaves: .cancel, handler: answering(listOrders))
        router.on(.get, "/v1/orders/{id}/timeline", whenClientLeaves: .cancel, handler: answering(showTimeline))
        router.on(.post, "/v1/orders/{id}/fulfilments", handler: answering(addFulfilment))
        router.on(.get, "/v1/orders/{id}/contact", whenClientLeaves: .cancel, handler: answering(showContact))
        router.on(.delete, "/v1/orders/{id}/contact", handler: answering(eraseContact))
        for (name, kind) in [
            ("captures", FollowUpRequest.Kind.capture), ("finalise", .finalise), ("refunds", .refund), ("voids", .void),
        ] {
            router.on(.post, "/v1/orders/{id}/\(name)", handler: answering(followUp(kind)))
        }
        router.on(
            .get, "/v1/orders/{id}/commands/{command}", whenClientLeaves: .cancel, handler: answering(showCommand))
        router.on(.get, "/v1/settlements", whenClientLeaves: .cancel, handler: answering(listSettlements))
        addDeviceRoutes(to: &router)
        return router
    }

    /// The routes that devices call, in a browser too.
    private func addDeviceRoutes(to router: inout Router) {
        let browsers = BrowserAccess { [registry] in registry().allows(origin: $0) }
        let callbacks = [
            ("coupon-code", SheetUpdate.Kind.couponCode), ("payment-method", .paymentMethod),
            ("shipping-contact", .shippingContact), ("shipping-method", .shippingMethod),
        ].map { ("/v1/orders/{id}/\($0.0)", changeSheet($0.1)) }
        for (path, handler) in callbacks + [
            ("/v1/orders/{id}/ticket", exchangeTicket), ("/v1/orders/{id}/cancel", cancelOrder),
        ] {
            browsers.add(.post, path, to: &router, answering(handler))
            browsers.addPreflight(path, to: &router)
        }
        for (path, handler) in [
            ("/v1/merchants/{id}/apple-pay", showApplePay), ("/v1/orders/{id}", showOrder),
            ("/v1/orders/{id}/payments/{payment}", showPayment),
        ] as [(String, Router.Handler)] {
            browsers.add(.get, path, to: &router, cancels: true, answering(handler))
            browsers.addPreflight(path, to: &router)
        }
    }

    /// Converts the errors of a handler to problems that say what to do. Every request that changes something may have an
    /// `Idempotency-Key`: a wrong one is refused also where the request is safe to repeat without.
    private func answering(_ handler: @escaping Router.Handler) -> Router.Handler {
        { request, parameters in
            do {
                if request.method != .get { _ = try request.idempotencyKey() }
                return try await handler(request, parameters)
            } catch let error as JSONError {
                throw Problem(error)
            } catch let error as OfferError {
                throw Problem(error)
            } catch let error as OrdersChanging {
                throw Problem(error)
            } catch let error as PostgresError where error.isTransient || error.code == .poolClosed {
                throw Problem(error)
            }
        }
    }

    func orderID(_ parameters: RouteParameters) throws(Problem) -> OrderID {
        guard let order = parameters["id"].flatMap({ OrderID($0) }) else { throw .noSuchOrder }
        return order
    }

    /// The order with its goods, if it is this merchant's.
    func find(
        _ id: OrderID, of merchant: MerchantID, locked: Bool = false, on connection: PostgresConnection
    ) async throws -> OfferedOrder {
        guard let order = try await place(of: id, of: merchant, locked: locked, on: connection).offered else {
            throw Problem.goodsUnknown
        }
        return order
    }

    /// Where an order is, if it is this merchant's.
    struct Place {
        let partition: Int32
        let partitions: Int32
        /// nil when only the books have the order.
        let offered: OfferedOrder?
    }

    func place(
        of id: OrderID, of merchant: MerchantID, locked: Bool = false, on connection: PostgresConnection
    ) async throws -> Place {
        if let order = try await offers.find(id, locked: locked, on: connection) {
            guard order.merchant == merchant else { throw Problem.noSuchOrder }
            return Place(partition: order.partition, partitions: order.partitions, offered: order)
        }
        guard let (state, partition) = try await ForgottenOrders.find(id, on: connection),
            let offer = state.offers.first, offer.merchant == merchant
        else { throw Problem.noSuchOrder }
        return Place(partition: partition, partitions: offer.partitions, offered: nil)
    }

    /// The merchant of an order. It may be missing in this instance's file: that file is older than another instance's.
    func merchant(_ id: MerchantID) throws(Problem) -> Merchant {
        guard let merchant = merchants[id] else {
            missingMerchants.record(id.description, until: (now() + OrderTicket.maximumLife).seconds)
            throw Problem(
                .serviceUnavailable, code: "merchant-missing",
                detail: "this instance does not know the order's merchant yet; repeat the request in a moment",
                fields: ["Retry-After": "2"])
        }
        return merchant
    }

    func refuseClosed(_ order: OfferedOrder) throws(Problem) {
        if order.status == .open, let end = order.request.expiresAt, end <= now() { throw .orderExpired(order.id) }
        guard order.status != .open else { return }
        throw Problem(
            .conflict, code: "order-closed",
            detail: "the order is \(order.status.rawValue); it cannot change any more",
            members: ["orderId": .string(order.id.description), "orderStatus": .string(order.status.rawValue)])
    }
}
