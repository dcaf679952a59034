import OrchardHTTPTypes

/// Why a request is not taken; the connection is closed after the answer, because what follows cannot be trusted.
package struct Refusal: Error, Hashable {
    package let status: HTTPStatus
    package let reason: String

    init(_ status: HTTPStatus, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    static func malformed(_ reason: String) -> Self { Self(.badRequest, reason) }

    var problem: Problem { Problem(status, code: "request-refused", detail: reason) }
}
