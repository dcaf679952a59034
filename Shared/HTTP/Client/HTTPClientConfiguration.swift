/// How the client connects, how long it waits, and how much it reads.
public struct HTTPClientConfiguration: Hashable, Sendable {
    /// For name, TCP and TLS together.
    public var connectTimeout: Duration = .seconds(5)
    /// For the whole request, if it has no time of its own.
    public var totalTimeout: Duration = .seconds(30)
    /// How long a connection may have been idle and still be used; below the server's idle time.
    public var idleTimeout: Duration = .seconds(50)
    /// PEM file of the authorities that are trusted, instead of the system's.
    public var caFile: String?
    /// PEM file of the client's certificate and its chain, for mutual TLS.
    public var clientCertificate: String?
    /// PEM file of the key of ``clientCertificate``.
    public var clientKey: String?
    /// Bytes of an answer's body.
    public var maximumBody = 1 << 20
    /// Bytes of an answer's status line and fields, interim answers included.
    public var maximumHead = 64 << 10
    /// Where plain `http` is allowed.
    public var urlPolicy = HTTPURLPolicy.httpsUnlessLoopback
    /// Which addresses are connected, whatever the names resolve to.
    public var addressPolicy = HTTPAddressPolicy.any

    public init() {}
}
