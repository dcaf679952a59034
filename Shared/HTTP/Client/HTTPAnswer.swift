import OrchardHTTPTypes

/// A whole answer.
public struct HTTPAnswer: Hashable, Sendable {
    public var response: HTTPResponse
    /// The body had neither length nor chunks, so a connection that broke looks like its end: such a body counts only
    /// where a verified signature covers all of it.
    public var isCloseDelimited: Bool

    public init(response: HTTPResponse, isCloseDelimited: Bool = false) {
        self.response = response
        self.isCloseDelimited = isCloseDelimited
    }
}
