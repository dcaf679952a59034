import OrchardHTTPTypes

/// Finds the handler of a request by method and path.
///
/// A path that no route has is 404, one with other methods 405 with `Allow`; HEAD is answered like GET.
public struct Router: Sendable {
    /// Answers one request. It may throw a ``Problem``; a `CancellationError` closes the connection without an answer;
    /// any other error becomes a 500 that tells nothing.
    public typealias Handler = @Sendable (HTTPRequest, RouteParameters) async throws -> HTTPResponse

    private struct Route: Sendable {
        let method: HTTPMethod
        let pattern: RoutePattern
        let whenClientLeaves: WhenClientLeaves
        let handler: Handler
    }

    private var routes: [Route] = []

    public init() {}

    /// Adds a route. Of two that fit a path, the one added first wins.
    ///
    /// - Parameters:
    ///   - pattern: a path; a segment `{name}` takes any text and gives it to the handler decoded.
    ///   - whenClientLeaves: whether the handler's task is cancelled when its client goes away.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, whenClientLeaves: WhenClientLeaves = .finish,
        handler: @escaping Handler
    ) {
        let pattern = RoutePattern(pattern)
        precondition(
            !routes.contains { $0.method == method && $0.pattern == pattern },
            "\(method) \(pattern.text) is there twice")
        routes.append(
            Route(method: method, pattern: pattern, whenClientLeaves: whenClientLeaves, handler: handler))
    }

    /// Answers a request as the server would, without a socket.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await call(for: request).answer()
    }

    package func call(for request: HTTPRequest) -> RouteCall {
        guard let path = RoutePattern.segments(of: request.path) else {
            return refusal(Problem(.badRequest, code: "bad-path", detail: "the path has a bad percent escape"))
        }
        var allowed: [HTTPMethod] = []
        var headRoute: (Route, RouteParameters)?
        for route in routes {
            guard let parameters = route.pattern.match(path) else { continue }
            if route.method == request.method { return call(route, request, parameters) }
            if request.method == .head, route.method == .get, headRoute == nil { headRoute = (route, parameters) }
            if !allowed.contains(route.method) { allowed.append(route.method) }
        }
        if let (route, parameters) = headRoute { return call(route, request, parameters) }
        if allowed.isEmpty { return refusal(Problem(.notFound, code: "not-found")) }
        if allowed.contains(.get), !allowed.contains(.head) { allowed.append(.head) }
        let allow = allowed.map(\.rawValue).sorted().joined(separator: ", ")
        return refusal(
            Problem(.methodNotAllowed, code: "method-not-allowed", detail: "use \(allow)", fields: ["Allow": allow]))
    }

    private func call(_ route: Route, _ request: HTTPRequest, _ parameters: RouteParameters) -> RouteCall {
        RouteCall(template: route.pattern.text, whenClientLeaves: route.whenClientLeaves) {
            try await route.handler(request, parameters)
        }
    }

    private func refusal(_ problem: Problem) -> RouteCall {
        RouteCall(template: nil, whenClientLeaves: .finish) { .problem(problem) }
    }
}
