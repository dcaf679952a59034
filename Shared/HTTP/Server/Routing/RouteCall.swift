import OrchardHTTPTypes

/// What answers a request.
package struct RouteCall: Sendable {
    package enum Handler: Sendable {
        /// It neither waits nor works for long: the event loop calls it itself.
        case immediate(Router.ImmediateHandler)
        /// A task runs it.
        case suspending(Router.Handler)
    }

    /// The pattern of the route, as a label of metrics and logs; nil when none fits.
    package let template: String?
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
