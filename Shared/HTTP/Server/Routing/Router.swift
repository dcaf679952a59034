import OrchardHTTPTypes

/// Finds the handler of a request by method and path.
///
/// A path that no route has is 404, one with other methods 405 with `Allow`; HEAD is answered like GET.
public struct Router: Sendable {
    /// Answers one request. It may throw a ``Problem``; a `CancellationError` closes the connection without an answer;
    /// any other error becomes a 500 without a reason.
    public typealias Handler = @Sendable (HTTPRequest, RouteParameters) async throws -> HTTPResponse

    /// Answers one request at once, without suspending; it throws as a ``Handler`` does.
    public typealias ImmediateHandler = @Sendable (HTTPRequest, RouteParameters) throws -> HTTPResponse

    private struct Route: Sendable {
        let name: RouteName
        let method: HTTPMethod
        let pattern: RoutePattern
        let whenClientLeaves: WhenClientLeaves
        let handler: RouteCall.Handler
    }

    private var routes: [Route] = []

    public init() {}

    /// Adds a route. Of two that fit a path, the one added first wins.
    ///
    /// - Parameters:
    ///   - pattern: a path; a segment `{name}` matches any text and gives it to the handler decoded.
    ///   - whenClientLeaves: whether the handler's task is cancelled when its client goes away.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, whenClientLeaves: WhenClientLeaves = .finish,
        handler: @escaping Handler
    ) {
        add(method, pattern, whenClientLeaves, .suspending(handler))
    }

    /// Adds a route whose handler the event loop calls itself, which spares a task a request. Of two that fit a path,
    /// the one added first wins.
    ///
    /// - Parameter handler: takes some microseconds at most; the other connections of the loop wait meanwhile.
    public mutating func onImmediate(
        _ method: HTTPMethod, _ pattern: String, handler: @escaping ImmediateHandler
    ) {
        add(method, pattern, .finish, .immediate(handler))
    }

    /// Adds `GET /healthz`: the process runs. It is for a balancer that sees this port only; the admin port has the
    /// readiness.
    public mutating func addHealth() { onImmediate(.get, "/healthz") { _, _ in .text("ok\n") } }

    private mutating func add(
        _ method: HTTPMethod, _ pattern: String, _ whenClientLeaves: WhenClientLeaves, _ handler: RouteCall.Handler
    ) {
        let pattern = RoutePattern(pattern)
        precondition(
            !routes.contains { $0.method == method && $0.pattern == pattern },
            "\(method) \(pattern.text) is there twice")
        let name = RouteName(index: routes.count, template: pattern.text)
        routes.append(
            Route(name: name, method: method, pattern: pattern, whenClientLeaves: whenClientLeaves, handler: handler))
    }

    /// Method and pattern of every route, in the order in which they were added.
    package var endpoints: [(method: HTTPMethod, pattern: String)] { routes.map { ($0.method, $0.pattern.text) } }

    /// Answers a request as the server would, without a socket.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await call(for: request).answer(to: request)
    }

    package func call(for request: HTTPRequest) -> RouteCall {
        // Most requests name a literal path of the first routes, byte for byte.
        // By index: an iterator would copy each route. A target with a query takes the way below.
        for index in routes.indices {
            guard routes[index].pattern.isLiteral else { break }
            guard routes[index].pattern.text == request.target, routes[index].method == request.method else { continue }
            return call(routes[index], RouteParameters())
        }
        guard let path = RoutePattern.segments(of: request.path) else {
            return refusal(Problem(.badRequest, code: "bad-path", detail: "the path has a bad percent escape"))
        }
        var allowed: [HTTPMethod] = []
        var headRoute: (Route, RouteParameters)?
        for route in routes {
            guard let parameters = route.pattern.match(path) else { continue }
            if route.method == request.method { return call(route, parameters) }
            if request.method == .head, route.method == .get, headRoute == nil { headRoute = (route, parameters) }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        if let (route, parameters) = headRoute { return call(route, parameters) }
        if allowed.isEmpty { return refusal(Problem(.notFound, code: "not-found")) }
        if allowed.contains(.get), !allowed.contains(.head) { allowed.append(.head) }
        let allow = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return refusal(
            Problem(.methodNotAllowed, code: "method-not-allowed", detail: "use \(allow)", fields: ["Allow": allow]))
    }

    private func call(_ route: Route, _ parameters: RouteParameters) -> RouteCall {
        RouteCall(
            route: route.name, whenClientLeaves: route.whenClientLeaves, handler: route.handler,
            parameters: parameters)
    }

    private func refusal(_ problem: Problem) -> RouteCall {
        RouteCall(
            route: nil, whenClientLeaves: .finish, handler: .immediate { _, _ in .problem(problem) },
            parameters: RouteParameters())
    }
}

/// A route in metrics and logs.
struct RouteName: Sendable, Hashable {
    /// Its place in the router.
    let index: Int
    /// Its pattern, of which there are few.
    let template: String
}

/// What answers a request.
package struct RouteCall: Sendable {
    package enum Handler: Sendable {
        /// It neither waits nor works for long: the event loop calls it itself.
        case immediate(Router.ImmediateHandler)
        /// A task runs it.
        case suspending(Router.Handler)
    }

    /// nil when none fits.
    let route: RouteName?
    package let whenClientLeaves: WhenClientLeaves
    package let handler: Handler
    package let parameters: RouteParameters

    /// Calls the handler.
    func answer(to request: HTTPRequest) async throws -> HTTPResponse {
        switch handler {
        case .immediate(let handler): try handler(request, parameters)
        case .suspending(let handler): try await handler(request, parameters)
        }
    }
}

/// What happens to a request's task when its client closes the connection before the answer.
public enum WhenClientLeaves: Sendable, Hashable {
    /// The task runs to its end; for everything that moves money or writes.
    case finish
    /// The task is cancelled; for long polls and other reads.
    case cancel
}
