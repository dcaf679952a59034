import Foundation
import OrchardHTTPTypes
import OrchardServiceKit

/// Owns the listener, all sockets and their states, on one thread of its own; nothing else touches them.
///
/// @unchecked Sendable: it is made by one task, handed to its thread, and then only ``run()`` touches it. What others
/// have to say comes through the mailbox.
final class EventLoop: @unchecked Sendable {
    private enum Token {
        static let listener = UInt64.max
        static let mailbox = UInt64.max - 1
    }

    private let poller: Poller
    private let listener: Int32
    private let mailbox: LoopMailbox
    private let limits: HTTPServerLimits
    private let router: Router
    private let requests: AsyncStream<PendingRequest>.Continuation
    private let logger: Logger
    private let metrics: ServerMetrics

    private var connections = ConnectionTable()
    private var isAccepting = false
    private var drainDeadline: ContinuousClock.Instant?
    private var isStopped = false
    private var clock = ServerClock()
    private var scratch = [UInt8](repeating: 0, count: 64 << 10)

    /// - Parameter listener: a listening socket; the loop closes it.
    init(
        listener: Int32, mailbox: LoopMailbox, limits: HTTPServerLimits, router: Router,
        requests: AsyncStream<PendingRequest>.Continuation, logger: Logger, metrics: ServerMetrics
    ) throws(HTTPServerError) {
        poller = try Poller()
        self.listener = listener
        self.mailbox = mailbox
        self.limits = limits
        self.router = router
        self.requests = requests
        self.logger = logger
        self.metrics = metrics
        guard poller.add(mailbox.descriptor, token: Token.mailbox, for: .read) else {
            throw HTTPServerError(.poll, "epoll_ctl: \(String(cString: strerror(errno)))")
        }
    }

    /// Serves until it was told to drain and is done, or to stop.
    func run() {
        resumeAccepting()
        let sweepInterval = Duration.milliseconds(500)
        var nextSweep = clock.now().instant + sweepInterval
        while !isStopped {
            let wait = clock.now().instant.duration(to: nextSweep) / .milliseconds(1)
            poller.wait(milliseconds: Int32(max(0, wait.rounded(.up)))) { event in self.handle(event) }
            let moment = clock.now()
            if moment.instant >= nextSweep {
                sweep(at: moment)
                nextSweep = moment.instant + sweepInterval
            }
            if let drainDeadline, connections.count == 0 || moment.instant >= drainDeadline { isStopped = true }
        }
        pauseAccepting()
        if drainDeadline == nil { close(listener) }
        for connection in connections.all { remove(connection) }
        requests.finish()
    }

    private func handle(_ event: Poller.Event) {
        switch event.token {
        case Token.listener: accept()
        case Token.mailbox: readMailbox()
        default:
            guard let connection = connections[event.token] else { return }
            handle(event, on: connection)
        }
    }
}

// MARK: - Connections

extension EventLoop {
    private func accept() {
        while isAccepting {
            let descriptor = Sockets.accept(listener)
            guard descriptor >= 0 else {
                // Out of descriptors or memory: an idle connection makes room, or the backlog waits for the next sweep.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(-descriptor), !evict() { pauseAccepting() }
                return
            }
            let moment = clock.now()
            let machine = ConnectionMachine(limits: limits, at: moment)
            let connection = connections.add(descriptor, machine, at: moment.instant)
            guard poller.add(descriptor, token: connection.token, for: .read) else {
                drop(connection)
                continue
            }
            if connections.count > limits.connections { evict() }
            metrics.connections.set(Double(connections.count))
            if !hasRoom(at: moment) { pauseAccepting() }
        }
    }

    /// Whether there is a place for one more connection, or one that makes room.
    private func hasRoom(at moment: Moment) -> Bool {
        connections.count < limits.connections || connections.evictable(at: moment.instant) != nil
    }

    /// Ends the connection that has been idle longest.
    ///
    /// - Returns: whether there was one.
    @discardableResult private func evict() -> Bool {
        guard let connection = connections.evictable(at: clock.now().instant) else { return false }
        metrics.evictions.increment()
        remove(connection)
        return true
    }

    /// Refuses requests that are still coming in until the rest fits into the memory that requests may take.
    private func shed(at moment: Moment) {
        while connections.heldBytes > limits.requestMemory, let connection = connections.slowest {
            perform(connection.machine.refuseForMemory(at: moment), on: connection)
        }
    }

    private func remove(_ connection: SocketConnection) {
        connection.departure?.finish()
        connection.departure = nil
        connections.remove(connection)
        close(connection.descriptor)
        metrics.connections.set(Double(connections.count))
        resumeAccepting()
    }

    /// Ends a connection that the kernel cannot watch; the others go on.
    private func drop(_ connection: SocketConnection) {
        logger.warning("a connection is dropped: epoll_ctl: \(String(cString: strerror(errno)))")
        remove(connection)
    }

    private func pauseAccepting() {
        guard isAccepting else { return }
        isAccepting = false
        poller.remove(listener)
    }

    private func resumeAccepting() {
        guard !isAccepting, !isStopped, drainDeadline == nil, hasRoom(at: clock.now()) else { return }
        // Where the kernel refuses, the next sweep tries again.
        isAccepting = poller.add(listener, token: Token.listener, for: .read)
    }

    /// Ends what is past its deadline.
    private func sweep(at moment: Moment) {
        for connection in connections.all {
            perform(connection.machine.expire(at: moment), on: connection)
        }
        resumeAccepting()
    }
}

// MARK: - Input and output

extension EventLoop {
    private func handle(_ event: Poller.Event, on connection: SocketConnection) {
        switch connection.machine.interest {
        case .read:
            let result = scratch.withUnsafeMutableBytes { Sockets.read(connection.descriptor, into: $0) }
            switch result {
            case .bytes(let count):
                let moment = clock.now()
                perform(connection.machine.receive(scratch[..<count], at: moment), on: connection)
                shed(at: moment)
            case .wouldBlock: break
            case .ended: perform(connection.machine.end(), on: connection)
            }
        case .write:
            perform(.none, on: connection)
        case .end:
            if event.isEnded { return perform(connection.machine.end(), on: connection) }
            register(.end, for: connection)
        }
    }

    private func readMailbox() {
        let contents = mailbox.take()
        let moment = clock.now()
        for (token, response) in contents.answers {
            guard let connection = connections[token] else { continue }  // the client left
            connection.departure = nil
            let action = response.map { connection.machine.answer($0, at: moment) } ?? connection.machine.end()
            perform(action, on: connection)
        }
        if contents.drains, drainDeadline == nil { beginDraining(at: moment) }
        if contents.stops { isStopped = true }
    }

    private func beginDraining(at moment: Moment) {
        pauseAccepting()
        close(listener)
        drainDeadline = moment.instant + limits.drainTime
        for connection in connections.all { perform(connection.machine.drain(), on: connection) }
    }

    /// Does what the machine says, sends what it wants sent, and watches for what it waits for.
    private func perform(_ action: ConnectionMachine.Action, on connection: SocketConnection) {
        var action = action
        while true {
            switch action {
            case .none: break
            case .handle(let request):
                note(connection)
                shed(at: clock.now())
                guard connections.heldBytes <= limits.requestMemory else {
                    action = connection.machine.refuseForMemory(at: clock.now())
                    continue
                }
                dispatch(request, of: connection)
            case .report(let refusal):
                metrics.refused(refusal)
                logger.debug("request refused", ["status": "\(refusal.status.code)", "reason": refusal.reason])
            case .shutdownWrite: Sockets.shutdownWrite(connection.descriptor)
            case .close: return remove(connection)
            }
            guard !connection.machine.output.isEmpty else { return watch(connection) }
            guard let count = Sockets.send(connection.descriptor, connection.machine.output) else {
                action = connection.machine.end()
                continue
            }
            if count == 0 { return watch(connection) }
            action = connection.machine.sent(count, at: clock.now())
        }
    }

    private func dispatch(_ request: HTTPRequest, of connection: SocketConnection) {
        let call = router.call(for: request)
        var departure: AsyncStream<Never>?
        if call.whenClientLeaves == .cancel {
            (departure, connection.departure) = AsyncStream<Never>.makeStream()
        }
        requests.yield(
            PendingRequest(token: connection.token, request: request, call: call, departure: departure))
    }

    /// Watches for what the machine waits for. That nothing is to be read while a request is handled is told to epoll
    /// only when something comes: most answers are quicker, and two system calls a request are saved.
    private func watch(_ connection: SocketConnection) {
        let interest = connection.machine.interest
        if interest != .end { register(interest, for: connection) }
        note(connection)
    }

    private func note(_ connection: SocketConnection) {
        connections.update(connection) { clock.now().instant }
    }

    private func register(_ interest: ConnectionMachine.Interest, for connection: SocketConnection) {
        guard interest != connection.interest else { return }
        connection.interest = interest
        if !poller.change(connection.descriptor, token: connection.token, to: interest) { drop(connection) }
    }
}
