import OrchardHTTPServer
import OrchardHTTPTypes
import OrchardJSON

/// The routes of the shop's server.
struct StorefrontRouter: Sendable {
    let setting: StorefrontSetting
    let pages: PageFiles
    let desk: OrderDesk
    let device: StandInDevice

    var router: Router {
        var router = Router()
        add(.get, "/api/config", to: &router) { _, _ in .json(setting.json.bytes) }
        add(.get, "/api/products", to: &router) { _, _ in .json(Catalogue.json.bytes) }
        add(.post, "/api/orders", to: &router) { request, _ in try await desk.open(request) }
        add(.get, "/sandbox/cards", to: &router) { _, _ in
            .json(JSONValue.array(StandInCard.all.map(\.json)).bytes)
        }
        add(.post, "/sandbox/token", to: &router) { request, _ in try device.pay(request) }
        // A pattern has as many parts as a path.
        for depth in 0...4 {
            let pattern = "/" + (0..<depth).map { "{\($0)}" }.joined(separator: "/")
            add(.get, pattern, to: &router) { request, parameters in
                try pages.answer((0..<depth).compactMap { parameters["\($0)"] }, to: request)
            }
        }
        return router
    }

    /// Adds a route of the shop's own pages. Each answer has the fields that protect them.
    private func add(
        _ method: HTTPMethod, _ pattern: String, to router: inout Router,
        _ handler: @escaping Router.Handler
    ) {
        let gate = StorefrontGuard(web: setting.web)
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
