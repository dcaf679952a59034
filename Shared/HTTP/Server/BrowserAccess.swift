import OrchardHTTPTypes

/// Lets pages of certain origins call routes from a browser (CORS, WHATWG Fetch).
///
/// It opens nothing: each route still checks its caller. A route without it sends no such fields, so that no page can call
/// it.
public struct BrowserAccess: Sendable {
    private let allows: @Sendable (String) -> Bool

    /// - Parameter allows: whether pages of an origin may call, asked for each request.
    public init(allows: @escaping @Sendable (_ origin: String) -> Bool) {
        self.allows = allows
    }

    /// Adds a route that browsers may call.
    ///
    /// - Parameter cancels: whether the handler is cancelled when the client leaves.
    public func add(
        _ method: HTTPMethod, _ pattern: String, to router: inout Router, cancels: Bool = false,
        _ handler: @escaping Router.Handler
    ) {
        router.on(method, pattern, whenClientLeaves: cancels ? .cancel : .finish) { request, parameters in
            do {
                var response = try await handler(request, parameters)
                for (name, value) in fields(for: request) { response.fields[name] = value }
                return response
            } catch var problem as Problem {
                for (name, value) in fields(for: request) { problem.fields[name] = value }
                throw problem
            }
        }
    }

    /// Adds the answers to preflight requests for a path.
    public func addPreflight(_ pattern: String, to router: inout Router) {
        router.on(.options, pattern) { request, _ in
            var response = HTTPResponse(status: .noContent)
            let origin = fields(for: request)
            for (name, value) in origin { response.fields[name] = value }
            if origin.count > 1 {
                response.fields["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Idempotency-Key"
                response.fields["Access-Control-Allow-Methods"] = "GET, POST"
                response.fields["Access-Control-Max-Age"] = "600"
            }
            return response
        }
    }

    /// The fields for a request's origin. Caches must keep answers to different origins apart.
    private func fields(for request: HTTPRequest) -> [(name: String, value: String)] {
        guard let origin = request.fields["Origin"], allows(origin) else {
            return [("Vary", "Origin")]
        }
        return [
            ("Vary", "Origin"), ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", "Retry-After, X-Request-Id"),
        ]
    }
}
