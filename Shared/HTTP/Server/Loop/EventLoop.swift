import Foundation
import OrchardHTTPTypes
import OrchardServiceKit

/// Owns sockets and their states, on one thread of its own; nothing else touches them. The first loop of a server also
/// owns the listener, and gives each loop its share of the connections.
///
/// Its only call is ``run()``, which blocks its thread in epoll: other tasks use the mailbox.
actor EventLoop {
    /// What the loops of a server share.
    struct Shared: Sendable {
        let limits: HTTPServerLimits
        let router: Router
        let responder: Responder
        let logger: Logger
        let metrics: ServerMetrics
        let tls: CheckedFile<TLSContext>?
        let table: Locked<ConnectionTable>
        /// One a loop.
        let mailboxes: [LoopMailbox]
    }

    enum Token {
        static let listener = UInt64.max
        static let mailbox = UInt64.max - 1
    }

    /// What other tasks send to this loop.
    nonisolated var mailbox: LoopMailbox { shared.mailboxes[index] }

    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let index: Int
    let shared: Shared
    let poller: Poller
    /// Nil in all loops but the first.
    let listener: Int32?
    var limits: HTTPServerLimits { shared.limits }

    var connections = SocketConnections()
    /// Requests for tasks, until those are started.
    var pending: [PendingRequest] = []
    var isAccepting = false
    var drainDeadline: MonotonicTime?
    var isStopped = false
    var isShedding = false
    var clock = ServerClock()
    var input = ReadBuffer(size: 64 << 10)
    /// What was received, and is read when other sockets' bytes have been received too.
    var received: [(connection: SocketConnection, bytes: Range<Int>)] = []
    var spare = SpareMemory()
    /// Connections whose answers wait until the round has read its requests.
    var unsent: [SocketConnection] = []
    /// Connections that the next round looks at, without an event of theirs.
    var queued: [SocketConnection] = []
    /// Connections whose TLS handshake goes on, the longest waiting first.
    var handshakes: [SocketConnection] = []

    /// - Parameter listener: a listening socket; the loop closes it.
    init(_ index: Int, listener: Int32?, shared: Shared) throws(HTTPServerError) {
        let poller = try Poller()
        guard poller.add(shared.mailboxes[index].descriptor, token: Token.mailbox) else {
            throw HTTPServerError(.poll, "epoll_ctl: \(String(cString: strerror(errno)))")
        }
        self.poller = poller
        self.index = index
        self.listener = listener
        self.shared = shared
        executor = ThreadExecutor(name: "http-\(index)")
    }

    deinit { executor.finish {} }

    /// Serves until it is asked to drain and is done, or to stop. Requests run as child tasks.
    func run() async {
        await withDiscardingTaskGroup { group in
            resumeAccepting()
            let sweepInterval = Duration.milliseconds(500)
            var nextSweep = clock.now().instant + sweepInterval
            while !isStopped {
                let round = queued
                queued.removeAll(keepingCapacity: true)
                let isIdle = round.isEmpty && handshakes.isEmpty
                let wait = isIdle ? clock.now().instant.duration(to: nextSweep) / .milliseconds(1) : 0
                let events = poller.wait(milliseconds: Int32(max(0, wait.rounded(.up))))
                var moment = clock.now()
                for event in events { handle(event, at: &moment) }
                for connection in round { resume(connection, at: &moment) }
                answer(at: &moment)
                resumeHandshakes(at: &moment)
                answer(at: &moment)
                for request in pending {
                    group.addTask { [shared, mailbox] in
                        mailbox.answer(request.token, await shared.responder.respond(to: request))
                    }
                }
                pending.removeAll(keepingCapacity: true)
                if moment.instant >= nextSweep {
                    sweep(at: moment)
                    nextSweep = moment.instant + sweepInterval
                }
                if let drainDeadline, connections.count == 0 || moment.instant >= drainDeadline { isStopped = true }
            }
            end()
        }
    }

    private func end() {
        pauseAccepting()
        if let listener, drainDeadline == nil { Sockets.end(listener) }
        for entry in mailbox.end().accepted { discard(entry) }
        for connection in connections.all { remove(connection) }
    }

    func handle(_ event: Poller.Event, at moment: inout Moment) {
        switch event.token {
        case Token.listener:
            // Before: a connection whose answer waits must not seem idle, and make room for another one.
            answer(at: &moment)
            accept()
        case Token.mailbox:
            answer(at: &moment)
            readMailbox(at: moment)
        default:
            guard let connection = connections[event.token] else { return }
            if connection.isInHandshake {
                queueHandshake(of: connection, after: event)
            } else {
                handle(event, on: connection, at: &moment)
            }
        }
    }

    private func readMailbox(at moment: Moment) {
        let contents = mailbox.removeAll()
        for entry in contents.accepted { adopt(entry, at: moment) }
        // Before the answers: they then say that they are the last of their connections.
        if contents.drains, drainDeadline == nil { beginDraining(at: moment) }
        for (token, response) in contents.answers {
            guard let connection = connections[token] else { continue }  // the client left
            connection.departure = nil
            let action =
                response.map { connection.state.machine.answer($0, at: moment) } ?? connection.state.machine.end()
            perform(action, on: connection, at: moment)
        }
        for token in contents.evicted { evict(token) }
        for token in contents.refused { refuse(token, at: moment) }
        if contents.hasPlace { resumeAccepting() }
        if contents.stops { isStopped = true }
    }

    private func beginDraining(at moment: Moment) {
        pauseAccepting()
        if let listener {
            Sockets.end(listener)
            // Not before: a client whose connection is closed must find the port closed.
            for mailbox in shared.mailboxes.dropFirst() { mailbox.drain() }
        }
        drainDeadline = moment.instant + limits.drainTime
        for connection in connections.all { perform(connection.state.machine.drain(), on: connection, at: moment) }
    }

    /// Ends what is past its deadline.
    private func sweep(at moment: Moment) {
        for connection in connections.all {
            let action = connection.state.machine.expire(at: moment)
            if action != .none { perform(action, on: connection, at: moment) }
        }
        resumeAccepting()
    }
}
