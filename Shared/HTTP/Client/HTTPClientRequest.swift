import OrchardHTTPTypes

/// A request to send.
public struct HTTPClientRequest: Hashable, Sendable {
    public var method: HTTPMethod
    /// An absolute URL without user, password and fragment.
    public var url: String
    /// Content-Length, Host, Expect and Connection are the client's own and must not be among them.
    public var fields: HTTPFields
    public var body: [UInt8]
    /// From submission to the last byte of the answer; nil for the configuration's.
    public var timeout: Duration?

    public init(
        method: HTTPMethod, url: String, fields: HTTPFields = [:], body: [UInt8] = [], timeout: Duration? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
    }
}
