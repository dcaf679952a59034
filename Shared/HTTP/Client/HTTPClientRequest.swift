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
    /// Bytes of the answer's body; nil for the configuration's.
    public var maximumBody: Int?
    /// What the server is shown, instead of the configuration's certificate. No connection is shared between identities.
    public var identity: ClientIdentity?

    public init(
        method: HTTPMethod, url: String, fields: HTTPFields = [:], body: [UInt8] = [], timeout: Duration? = nil,
        maximumBody: Int? = nil, identity: ClientIdentity? = nil
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.timeout = timeout
        self.maximumBody = maximumBody
        self.identity = identity
    }
}

extension HTTPClientRequest {
    /// Fields that the client writes itself: a second one would make the request ambiguous.
    private static let reserved = ["Content-Length", "Transfer-Encoding", "Connection", "Host", "Expect"]

    /// Refuses what must not or cannot be sent.
    func check(_ policy: HTTPURLPolicy) throws(HTTPFailure) -> HTTPURL {
        let url = try policy.check(self.url)
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(Self.isToken) else {
            throw HTTPFailure(.invalidRequest, "the method is not a token")
        }
        for field in fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isToken) else {
                throw HTTPFailure(.invalidRequest, "a field's name is not a token")
            }
            guard !Self.reserved.contains(where: { $0.equalsIgnoringCase(field.name) }) else {
                throw HTTPFailure(.invalidRequest, "the field \(field.name) is written by the client")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
                throw HTTPFailure(.invalidRequest, "the field \(field.name) has a control character")
            }
        }
        return url
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
