import Foundation
import OrchardServiceKit

/// Where the server listens and what it allows.
public struct HTTPServerConfiguration: Sendable {
    /// A numeric address or name of this machine; `0.0.0.0` is every IPv4 address, `::` every address.
    public var host: String
    /// The TCP port; 0 takes any free one.
    public var port: Int
    public var limits: HTTPServerLimits
    /// The identity for TLS, which new connections use as it is then; nil for plain HTTP.
    public var tls: CheckedFile<TLSContext>?
    /// Whether a request's `traceparent` is used: only where a proxy of ours sets it, since clients could add their
    /// requests to foreign traces.
    public var adoptsTraceparent = false

    /// Threads that own sockets and call the handlers that do not suspend. More than two help only where the handlers
    /// need most of the time.
    public var eventLoops = min(2, ProcessInfo.processInfo.activeProcessorCount)

    public init(host: String = "0.0.0.0", port: Int, limits: HTTPServerLimits = HTTPServerLimits()) {
        self.host = host
        self.port = port
        self.limits = limits
    }

    /// What a service must look at again while it runs: the identity for TLS.
    public var reloadedFiles: [any ReloadedFile] { tls.map { [$0] } ?? [] }
}

extension HTTPServerConfiguration {
    /// Reads where the server listens and what it allows.
    ///
    /// Configuration keys, below the reader's scope (`http`, `admin`):
    /// - `host` (default 127.0.0.1): a numeric address or name of this machine; `0.0.0.0` for every one
    /// - `port`: a TCP port; 0 takes any free one
    /// - `connections`: connections at once; one more ends the one that has been idle longest; with TLS at most 2000
    ///   unless it is set
    /// - `reserved-files`: descriptors that connections leave to the rest of the process
    /// - `request-memory`: bytes of requests in memory at once
    /// - `first-byte` (default 5s): how long a new connection may be silent
    /// - `idle` (default 60s): how long a connection may be silent after an answer
    /// - `adopt-traceparent` (default false): whether requests go on with the trace they name; for a port that only
    ///   proxies of ours reach, which set the field themselves
    /// - `tls.certificate`, `tls.key`, `tls.clients`: TLS on this port, see ``TLSFiles``
    ///
    /// - Parameter limits: the defaults.
    public init(reader: ConfigReader, defaultPort: Int, limits: HTTPServerLimits = HTTPServerLimits()) {
        var limits = limits
        let host = reader.string(
            "host", doc: "The address to listen on; 0.0.0.0 for every one.", default: "127.0.0.1")
        let port = reader.int("port", doc: "The TCP port to listen on.", default: defaultPort, in: 0...65_535)
        let tls = CheckedFile<TLSContext>.tls(reader: reader)
        limits.connections = reader.int(
            "connections",
            doc: "Connections at once; one more ends the one longest idle. With TLS at most 2000 unless set.",
            default: tls == nil ? limits.connections : min(limits.connections, HTTPServerLimits.connectionsWithTLS),
            in: 1...1_000_000)
        limits.reservedFiles = reader.int(
            "reserved-files", doc: "Of the limit of open files, what connections leave to the rest of the process.",
            default: limits.reservedFiles, in: 8...1_000_000)
        limits.requestMemory = reader.int(
            "request-memory", doc: "Bytes of requests in memory at once; beyond it the slowest get 503.",
            default: limits.requestMemory, in: 1 << 20...1 << 40)
        limits.firstByteTime = reader.duration(
            "first-byte", doc: "How long a new connection may be silent.", default: limits.firstByteTime,
            in: .milliseconds(100)...(.seconds(600)))
        limits.idleTime = reader.duration(
            "idle", doc: "How long a connection may be silent after an answer.", default: limits.idleTime,
            in: .milliseconds(100)...(.seconds(3_600)))
        self.init(host: host, port: port, limits: limits)
        adoptsTraceparent = reader.bool(
            "adopt-traceparent", doc: "Requests go on with the trace they name: only behind a proxy that sets it.",
            default: adoptsTraceparent)
        self.tls = tls
    }
}

extension HTTPServerLimits {
    /// OpenSSL needs up to 57 KiB for a connection that does not get beyond its handshake, outside of what requests may
    /// take: as many as these fit into a service's memory.
    static let connectionsWithTLS = 2_000

    /// The limits of an operators' port, which few clients call: its connections fit into what the public port reserves.
    public static let admin: HTTPServerLimits = {
        var limits = HTTPServerLimits()
        limits.connections = 64
        limits.reservedFiles = 64
        limits.requestMemory = 4 << 20
        return limits
    }()
}
