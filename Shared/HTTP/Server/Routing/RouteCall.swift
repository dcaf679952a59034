import OrchardHTTPTypes

/// A request together with what will answer it.
package struct RouteCall: Sendable {
    /// The pattern of the route, as a label of metrics and logs; nil when none fits.
    package let template: String?
    package let whenClientLeaves: WhenClientLeaves
    package let answer: @Sendable () async throws -> HTTPResponse
}
