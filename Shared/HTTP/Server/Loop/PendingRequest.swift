import OrchardHTTPTypes

/// A request on its way from the loop to a task.
struct PendingRequest: Sendable {
    /// Names the connection to the loop.
    let token: UInt64
    let request: HTTPRequest
    let call: RouteCall
    /// Ends when the client left; nil when the route does not care.
    let departure: AsyncStream<Never>?
}
