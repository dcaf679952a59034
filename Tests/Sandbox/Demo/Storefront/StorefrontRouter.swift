import Contracts
import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON

/// The routes of the shop's server.
struct StorefrontRouter: Sendable {
    let setting: StorefrontSetting
    let pages: PageFiles
    let orders: ShopOrders
    let device: StandInDevice
    /// nil where the shop cannot read the books.
    let books: BooksReading?
    let behind: BehindStream
    /// nil where another server takes the webhooks.
    let webhooks: WebhookEntrance?

    var router: Router {
        var router = Router()
        add(.get, "/api/config", to: &router) { _, _ in .json(setting.json.bytes) }
        add(.get, "/api/products", to: &router) { _, _ in .json(Catalogue.json.bytes) }
        add(.post, "/api/orders", to: &router) { request, _ in try await orders.open(request) }
        addOrder(to: &router)
        add(.get, "/api/books", to: &router) { _, _ in
            guard let books else {
                throw Problem(
                    .notFound, code: "books-elsewhere",
                    detail: "the shop cannot read the books of these services; their operator runs order-ledger audit")
            }
            return try await books.answer()
        }
        add(.get, "/api/behind", to: &router) { request, _ in try await behind.answer(request) }
        add(.get, "/sandbox/cards", to: &router) { _, _ in
            .json(JSONValue.array(StandInCard.all.map(\.json)).bytes)
        }
        add(.post, "/sandbox/token", to: &router) { request, _ in try device.pay(request) }
        if let webhooks {
            // order-ledger calls the shop by another name than browsers do.
            router.on(.post, WebhookEntrance.path) { request, _ in webhooks.receive(request) }
        }
        // A pattern has as many parts as a path.
        for depth in 0...4 {
            let pattern = "/" + (0..<depth).map { "{\($0)}" }.joined(separator: "/")
            add(.get, pattern, to: &router) { request, parameters in
                try pages.answer((0..<depth).compactMap { parameters["\($0)"] }, to: request)
            }
        }
        return router
    }

    /// Adds what is done with one order.
    private func addOrder(to router: inout Router) {
        add(.get, "/api/orders/{id}", to: &router) { request, parameters in
            try await orders.show(parameters.require("id") { OrderID($0) }, request)
        }
        add(.get, "/api/orders/{id}/timeline", to: &router) { request, parameters in
            try await orders.timeline(parameters.require("id") { OrderID($0) }, request)
        }
        add(.get, "/api/orders/{id}/commands/{command}", to: &router) { request, parameters in
            let order = try parameters.require("id") { OrderID($0) }
            return try await orders.command(parameters.require("command") { CommandID($0) }, of: order, request)
        }
        add(.post, "/api/orders/{id}/refunds", to: &router) { request, parameters in
            try await orders.refund(parameters.require("id") { OrderID($0) }, request)
        }
        add(.post, "/api/orders/{id}/cancel", to: &router) { request, parameters in
            try await orders.cancel(parameters.require("id") { OrderID($0) }, request)
        }
    }

    /// Adds a route of the shop's own pages. Each answer has the fields that protect them.
    private func add(
        _ method: HTTPMethod, _ pattern: String, to router: inout Router,
        _ handler: @escaping Router.Handler
    ) {
        let gate = StorefrontGuard(origins: setting.origins)
        router.on(method, pattern, whenClientLeaves: method == .get ? .cancel : .finish) { request, parameters in
            var response: HTTPResponse
            do {
                try gate.check(request)
                response = try await handler(request, parameters)
            } catch let problem as Problem {
                response = .problem(problem)
            }
            for (name, value) in setting.fields { response.fields[name] = value }
            return response
        }
    }
}
