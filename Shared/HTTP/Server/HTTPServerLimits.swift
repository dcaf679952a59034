/// How much a client may ask of the server, in bytes, fields and time. Times are absolute: a byte a second does not
/// extend them.
public struct HTTPServerLimits: Sendable, Hashable {
    /// Bytes of request line and fields together.
    public var headBytes = 16 << 10
    /// Bytes of the target.
    public var targetBytes = 4 << 10
    /// Field lines of a request.
    public var fieldCount = 64
    /// Bytes of a body.
    public var bodyBytes = 64 << 10
    /// Connections at once. One more waits in the kernel's backlog until the connection that has been idle longest is
    /// closed; while all work on requests, until one is done.
    public var connections = 10_000
    /// Descriptors that connections never use: they are for everything else that the process opens. Where the limit of
    /// open files is low, there are fewer connections.
    public var reservedFiles = 256
    /// Bytes of requests, and of answers that clients have not read, in memory at once. Beyond it the requests that
    /// have been coming in longest are refused with 503.
    public var requestMemory = 64 << 20
    /// From the connection to the first byte of its first request.
    public var firstByteTime: Duration = .seconds(5)
    /// From the first byte of a request to the end of its head.
    public var headTime: Duration = .seconds(5)
    /// From the end of the head to the end of the body.
    public var bodyTime: Duration = .seconds(10)
    /// For the client to read the whole answer.
    public var writeTime: Duration = .seconds(10)
    /// Between an answer and the next request.
    public var idleTime: Duration = .seconds(60)
    /// After the last answer: input is discarded so long, lest a reset destroys the answer on its way.
    public var lingerTime: Duration = .seconds(1)
    /// From the begin of a graceful shutdown until connections that are still busy are cut.
    public var drainTime: Duration = .seconds(20)

    public init() {}
}
