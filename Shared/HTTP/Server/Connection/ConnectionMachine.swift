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

    /// What the owner of the socket records of a connection.
    struct Standing {
        let interest: Interest
        let waiting: Waiting
        /// Since when the peer has to do that.
        let waitingSince: MonotonicTime
        /// Memory for the peer's bytes and its answer.
        let heldBytes: Int
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
    private(set) var deadline: MonotonicTime?
    /// What has to be sent, first to last, behind the bytes that were sent.
    private var written: [UInt8] = []
    private var sentBytes = 0
    /// Bytes of the current request.
    private var handledBytes = 0
    /// When the peer began to be in the state of ``waiting``.
    private(set) var waitingSince: MonotonicTime

    init(limits: HTTPServerLimits, at moment: Moment) {
        self.limits = limits
        parser = RequestParser(limits: limits)
        deadline = moment.instant + limits.firstByteTime
        waitingSince = moment.instant
    }

    /// What the peer has to do next.
    var waiting: Waiting {
        switch state {
        case .idle: .request
        case .head, .body: .rest
        case .handling, .writing, .lingering: .nothing
        }
    }

    /// What its owner records.
    var standing: Standing {
        Standing(interest: interest, waiting: waiting, waitingSince: waitingSince, heldBytes: heldBytes)
    }

    /// Memory for the peer's bytes and its answer.
    var heldBytes: Int { parser.heldBytes + handledBytes + unsentCount }

    private var unsentCount: Int { written.count - sentBytes }

    /// Whether something has to be sent.
    var hasOutput: Bool { unsentCount > 0 }

    /// What has to be sent, first to last.
    var output: ArraySlice<UInt8> { written[sentBytes...] }

    /// What has to be sent, first to last, while `body` runs.
    func withOutput<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(written.span.extracting(sentBytes...)) }

    /// Takes memory for its answers, which a loop lends to its connections.
    mutating func borrowMemory(_ spare: inout SpareMemory) {
        if written.capacity == 0 { written = spare.take() }
    }

    /// Gives memory back when everything is sent: a waiting connection holds none.
    mutating func returnMemory(_ spare: inout SpareMemory) {
        guard written.isEmpty, written.capacity > 0 else { return }
        var memory: [UInt8] = []
        swap(&memory, &written)
        spare.give(memory)
    }

    /// What the socket is to be watched for.
    var interest: Interest {
        if hasOutput { return .write }
        switch state {
        case .idle, .head, .body, .lingering: return .read
        case .handling, .writing: return .end
        }
    }

    /// Bytes came in; only while ``interest`` is `.read`.
    mutating func receive(_ bytes: Span<UInt8>, at moment: Moment) -> Action {
        switch state {
        case .idle, .head, .body:
            do throws(InvalidRequest) {
                return follow(try parser.receive(bytes), at: moment)
            } catch {
                return refuse(error, at: moment)
            }
        case .handling, .writing, .lingering:
            return .none
        }
    }

    /// There is no memory for the request that comes in or was just given out.
    mutating func refuseForMemory(at moment: Moment) -> Action { refuse(.noMemory, at: moment) }

    /// The answer to the request that was given out. A request that came behind it is given out before the answer is
    /// sent, so that both answers leave together.
    mutating func answer(_ response: CheckedResponse, at moment: Moment) -> Action {
        guard case .handling(let withoutBody, var connection) = state else { return .none }
        if isDraining { connection = .close }
        write(response, connection, withoutBody: withoutBody, at: moment)
        guard connection != .close, parser.hasBytes, unsentCount < Self.batchBytes else { return .none }
        return advance(at: moment)
    }

    /// The socket accepted this many bytes of ``output``.
    mutating func sent(_ count: Int, at moment: Moment) -> Action {
        sentBytes += count
        guard !hasOutput else { return .none }
        sentBytes = 0
        written.removeAll(keepingCapacity: true)
        switch state {
        case .writing(thenClose: true):
            enter(.lingering, at: moment)
            deadline = moment.instant + limits.lingerTime
            return .shutdownWrite
        case .writing(thenClose: false):
            enter(.idle, at: moment)
            // Its answer said that the connection stays open, and the next request may be on its way.
            deadline = moment.instant + (isDraining ? limits.lingerTime : limits.idleTime)
            return parser.hasBytes ? advance(at: moment) : .none
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
        guard !hasOutput else { return .close }
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
            return follow(try parser.next(), at: moment)
        } catch {
            return refuse(error, at: moment)
        }
    }

    private mutating func follow(_ progress: consuming RequestParser.Progress, at moment: Moment) -> Action {
        switch progress {
        case .empty:
            return .none
        case .partialHead:
            wait(in: .head, for: limits.headTime, at: moment)
            return .none
        case .partialBody:
            wait(in: .body, for: limits.bodyTime, at: moment)
            return .none
        case .continueExpected:
            wait(in: .body, for: limits.bodyTime, at: moment)
            written += CheckedResponse.continueBytes
            return .none
        case .complete(let message):
            let handling = State.handling(
                withoutBody: message.request.method == .head,
                connection: !message.keepsAlive ? .close : message.isHTTP10 ? .keepAndSay : .keep)
            enter(handling, at: moment)
            // Earlier answers that the client does not read keep their deadline.
            if !hasOutput { deadline = nil }
            handledBytes = parser.requestBytes
            return .handle(message.request)
        }
    }

    private mutating func enter(_ next: State, at moment: Moment) {
        let before = waiting
        state = next
        // Each answer begins a new time of being idle; head and body are one time of sending a request.
        if waiting != before || waiting == .request { waitingSince = moment.instant }
    }

    /// Goes to a state of waiting; its time begins once, whatever else comes in, and not before the client has read the
    /// earlier answers.
    private mutating func wait(in next: State, for time: Duration, at moment: Moment) {
        guard state != next else { return }
        enter(next, at: moment)
        if !hasOutput { deadline = moment.instant + time }
    }

    private mutating func refuse(_ refusal: InvalidRequest, at moment: Moment) -> Action {
        parser = RequestParser(limits: limits)  // what came in is not looked at any more
        write(CheckedResponse(refusal), .close, withoutBody: false, at: moment)
        return .report(refusal)
    }

    private mutating func write(
        _ response: CheckedResponse, _ connection: Connection, withoutBody: Bool, at moment: Moment
    ) {
        // Answers that leave together have the time of the first.
        if !hasOutput { deadline = moment.instant + limits.writeTime }
        response.write(to: &written, date: moment.date, connection: connection.field, withoutBody: withoutBody)
        handledBytes = 0
        enter(.writing(thenClose: connection == .close), at: moment)
    }
}
