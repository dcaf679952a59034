import OrchardHTTPTypes

/// The states of one connection: idle → head → body → handling → writing → (idle | lingering).
///
/// A pure value: it gets the socket's events and the time, and returns what to do next. It reads nothing and writes
/// nothing itself.
struct ConnectionMachine {
    /// What the owner of the socket has to do, beside sending ``output`` and watching for ``interest``.
    enum Action: Hashable {
        case none
        /// Have the request answered with ``answer(_:at:)``.
        case handle(HTTPRequest)
        /// Report to the operator why a request is refused; its answer is in ``output``.
        case report(InvalidRequest)
        /// No more is sent: the sending side must be closed before the socket.
        case shutdownWrite
        /// The connection is not needed any more.
        case close
    }

    /// What the socket is watched for; always also for its end.
    enum Interest: Hashable {
        case end
        case read
        case write
    }

    /// What the peer has to do next, for choosing whose turn ends when there is no room.
    enum Waiting: Hashable {
        /// Nothing: its request is being worked on, or the connection ends already.
        case nothing
        /// Send a request.
        case request
        /// Send the rest of a request.
        case rest
    }

    private enum State: Hashable {
        case idle
        case head
        case body
        case handling(withoutBody: Bool, connection: Connection)
        case writing(thenClose: Bool)
        case lingering
    }

    private enum Connection: Hashable {
        case keep
        /// Kept open for an HTTP/1.0 client, which needs a field that says so.
        case keepAndSay
        case close

        var field: StaticString? {
            switch self {
            case .keep: nil
            case .keepAndSay: "keep-alive"
            case .close: "close"
            }
        }
    }

    /// Answers to requests that came together leave together, up to this many bytes.
    private static let batchBytes = 64 << 10

    private let limits: HTTPServerLimits
    private var parser: RequestParser
    private var state = State.idle
    private var isDraining = false
    /// When ``expire(at:)`` has something to do; nil while a request is handled.
    private(set) var deadline: ContinuousClock.Instant?
    /// What has to be sent, first to last.
    private(set) var output: ArraySlice<UInt8> = []
    /// Bytes of the current request.
    private var handledBytes = 0

    init(limits: HTTPServerLimits, at moment: Moment) {
        self.limits = limits
        parser = RequestParser(limits: limits)
        deadline = moment.instant + limits.firstByteTime
    }

    // The loop asks for these several times a request: inlined, they do not copy the machine.

    /// What the peer has to do next.
    @inline(__always) var waiting: Waiting {
        switch state {
        case .idle: .request
        case .head, .body: .rest
        case .handling, .writing, .lingering: .nothing
        }
    }

    /// Memory for the peer's bytes and its answer.
    @inline(__always) var heldBytes: Int { parser.heldBytes + handledBytes + output.count }

    /// What the socket is to be watched for.
    @inline(__always) var interest: Interest {
        if !output.isEmpty { return .write }
        switch state {
        case .idle, .head, .body, .lingering: return .read
        case .handling, .writing: return .end
        }
    }

    /// Bytes came in; only while ``interest`` is `.read`.
    mutating func receive(_ bytes: some Collection<UInt8>, at moment: Moment) -> Action {
        switch state {
        case .idle, .head, .body:
            parser.append(bytes)
            return advance(at: moment)
        case .handling, .writing, .lingering:
            return .none
        }
    }

    /// There is no memory for the request that comes in or was just given out.
    mutating func refuseForMemory(at moment: Moment) -> Action { refuse(.noMemory, at: moment) }

    /// The answer to the request that was given out. A request that came behind it is given out before the answer is
    /// sent, so that both answers leave together.
    mutating func answer(_ response: EncodedResponse, at moment: Moment) -> Action {
        guard case .handling(let withoutBody, var connection) = state else { return .none }
        if isDraining { connection = .close }
        let bytes = response.bytes(date: moment.date, connection: connection.field, withoutBody: withoutBody)
        write(bytes, thenClose: connection == .close, at: moment)
        guard connection != .close, parser.hasBytes, output.count < Self.batchBytes else { return .none }
        return advance(at: moment)
    }

    /// The socket accepted this many bytes of ``output``.
    mutating func sent(_ count: Int, at moment: Moment) -> Action {
        output = output.dropFirst(count)
        guard output.isEmpty else { return .none }
        output = []
        switch state {
        case .writing(thenClose: true):
            state = .lingering
            deadline = moment.instant + limits.lingerTime
            return .shutdownWrite
        case .writing(thenClose: false):
            state = .idle
            deadline = moment.instant + limits.idleTime
            return advance(at: moment)
        case .head:
            deadline = moment.instant + limits.headTime
            return .none
        case .body:
            deadline = moment.instant + limits.bodyTime
            return .none
        case .handling:
            deadline = nil
            return .none
        case .idle, .lingering:
            return .none
        }
    }

    /// The peer closed its side, or the connection broke: a client that half-closes has left.
    mutating func end() -> Action { .close }

    /// Checks the deadline.
    mutating func expire(at moment: Moment) -> Action {
        guard let deadline, deadline <= moment.instant else { return .none }
        guard output.isEmpty else { return .close }
        switch state {
        case .idle, .writing, .lingering:
            return .close
        case .head:
            return refuse(
                InvalidRequest(.requestTimeout, "the request's head took longer than \(limits.headTime)"), at: moment)
        case .body:
            return refuse(
                InvalidRequest(.requestTimeout, "the request's body took longer than \(limits.bodyTime)"), at: moment)
        case .handling:
            return .none
        }
    }

    /// The server stops: the current request is answered, and no further one is read.
    mutating func drain() -> Action {
        isDraining = true
        return state == .idle ? .close : .none
    }

    private mutating func advance(at moment: Moment) -> Action {
        do throws(InvalidRequest) {
            switch try parser.next() {
            case .empty:
                return .none
            case .partialHead:
                enter(.head, for: limits.headTime, at: moment)
                return .none
            case .partialBody:
                enter(.body, for: limits.bodyTime, at: moment)
                return .none
            case .continueExpected:
                enter(.body, for: limits.bodyTime, at: moment)
                output += EncodedResponse.continueBytes
                return .none
            case .complete(let message):
                state = .handling(
                    withoutBody: message.request.method == .head,
                    connection: !message.keepsAlive ? .close : message.isHTTP10 ? .keepAndSay : .keep)
                // Earlier answers that the client does not read keep their deadline.
                if output.isEmpty { deadline = nil }
                handledBytes = message.request.heldBytes
                return .handle(message.request)
            }
        } catch {
            return refuse(error, at: moment)
        }
    }

    /// Goes to a state of waiting; its time begins once, whatever else comes in, and not before the client has read the
    /// earlier answers.
    private mutating func enter(_ next: State, for time: Duration, at moment: Moment) {
        guard state != next else { return }
        state = next
        if output.isEmpty { deadline = moment.instant + time }
    }

    private mutating func refuse(_ refusal: InvalidRequest, at moment: Moment) -> Action {
        let response = EncodedResponse(refusal)
        parser = RequestParser(limits: limits)  // what came in is not looked at any more
        write(response.bytes(date: moment.date, connection: "close", withoutBody: false), thenClose: true, at: moment)
        return .report(refusal)
    }

    private mutating func write(_ bytes: [UInt8], thenClose: Bool, at moment: Moment) {
        // Answers that leave together have the time of the first.
        if output.isEmpty { deadline = moment.instant + limits.writeTime }
        if output.isEmpty { output = bytes[...] } else { output += bytes }
        handledBytes = 0
        state = .writing(thenClose: thenClose)
    }
}

extension HTTPRequest {
    /// Bytes of its texts and its body.
    fileprivate var heldBytes: Int {
        fields.reduce(body.count + target.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}
