import OrchardHTTPTypes

/// A request together with what will answer it.
package struct RouteCall: Sendable {
    /// What answers a request.
    package enum Answer: Sendable {
        /// It neither waits nor works for long: the event loop calls it itself.
        case immediate(@Sendable () throws -> HTTPResponse)
        /// A task runs it.
        case suspending(@Sendable () async throws -> HTTPResponse)
    }

    /// The pattern of the route, as a label of metrics and logs; nil when none fits.
    package let template: String?
    package let whenClientLeaves: WhenClientLeaves
    package let answer: Answer
}
