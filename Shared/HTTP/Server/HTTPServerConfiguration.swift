import Foundation

/// Where the server listens and what it allows.
public struct HTTPServerConfiguration: Sendable, Hashable {
    /// A numeric address or name of this machine; `0.0.0.0` is every IPv4 address, `::` every address.
    public var host: String
    /// The TCP port; 0 takes any free one.
    public var port: Int
    public var limits: HTTPServerLimits
    /// Whether a request's `traceparent` is believed: only where a proxy of ours sets it, since strangers could mix their
    /// requests into the traces of others.
    public var adoptsTraceparent = false

    /// Threads that own sockets and call the handlers that do not suspend. More than two pay only where the handlers
    /// themselves are what takes the time.
    public var eventLoops = min(2, ProcessInfo.processInfo.activeProcessorCount)

    public init(host: String = "0.0.0.0", port: Int, limits: HTTPServerLimits = HTTPServerLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }
}
