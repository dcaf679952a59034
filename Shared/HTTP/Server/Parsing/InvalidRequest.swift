import OrchardHTTPTypes

/// Why a request is not taken; the connection is closed after the answer, because what follows cannot be trusted.
package struct InvalidRequest: Error, Hashable {
    package let status: HTTPStatus
    package let reason: String

    init(_ status: HTTPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func malformed(_ reason: String) -> Self { Self(.badRequest, reason) }

    /// There is no memory for the request now.
    static let noMemory = Self(
        .serviceUnavailable, "too many requests are coming in; nothing was taken, repeat the request in a moment")

    var problem: Problem { Problem(status, code: "request-refused", detail: reason) }
}
