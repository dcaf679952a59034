import OrchardHTTPTypes

/// What is known of a request that was given to the client.
public enum HTTPOutcome: Hashable, Sendable {
    /// A whole answer came, of any status. It must still name its request: input that a server sent unrequested,
    /// between the last check of the connection and the send, looks like an answer.
    case answered(HTTPAnswer)
    /// No byte of the request left this machine: it may be sent again.
    case notSent(HTTPFailure)
    /// The request or a part of it was sent, and no whole answer came: it may have been processed.
    case unknown(HTTPFailure)
}

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
