import Foundation
import OrchardServiceKit

/// Connections that come, make room for others, and go.
extension EventLoop {
    /// Accepts waiting connections while there are places, and gives each to the loop that has fewest. When all places
    /// are used, another connection is closed first.
    func accept() {
        guard let listener else { return }
        var mayMakeRoom = true
        while isAccepting, mayMakeRoom || shared.table.withLock({ $0.count < limits.connections }) {
            guard evictSlowest(below: limits.connections) else { return pauseAccepting() }
            let descriptor = Sockets.accept(listener)
            guard descriptor >= 0 else {
                // Out of descriptors or memory: a connection makes room, or the backlog waits for the next sweep.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(-descriptor), !evictSlowest(below: 0) {
                    pauseAccepting()
                }
                return
            }
            mayMakeRoom = false
            let moment = clock.now()
            let entry = shared.table.withLock { $0.add(descriptor, at: moment.instant) }
            shared.metrics.connections.increment()
            if entry.loop == index {
                adopt(entry, at: moment)
            } else if !shared.mailboxes[entry.loop].accept(entry) {
                discard(entry)
            }
        }
    }

    func adopt(_ entry: ConnectionTable.Entry, at moment: Moment) {
        let begin = Moment(instant: entry.waitingSince, date: moment.date)
        var tls: TLSSession?
        if let identity = shared.tls {
            tls = TLSSession(identity.current, descriptor: entry.descriptor)
            guard tls != nil else { return discard(entry) }
        }
        let connection = SocketConnection(entry, tls: tls, machine: ConnectionMachine(limits: limits, at: begin))
        connections.add(connection)
        guard poller.add(connection: entry.descriptor, token: entry.token) else { return drop(connection) }
        if drainDeadline != nil { perform(connection.state.machine.drain(), on: connection, at: moment) }
    }

    /// Closes a connection that no loop has accepted.
    func discard(_ entry: ConnectionTable.Entry) { close(entry.descriptor, token: entry.token) }

    func remove(_ connection: SocketConnection) {
        // Its descriptor may be another connection's by now.
        guard connections[connection.token] === connection else { return }
        connection.departure?.finish()
        connection.departure = nil
        connections.remove(connection)
        if let tls = connection.tls {
            if !tls.isEstablished { shared.metrics.failedHandshakes.increment() }
            tls.shutdownWrite()
        }
        close(connection.descriptor, token: connection.token)
    }

    /// Closes a socket and then gives its place free, in this order: there are never more sockets than places.
    private func close(_ descriptor: Int32, token: UInt64) {
        // Before: as soon as the socket is closed, another loop may accept the next one under its descriptor.
        shared.metrics.connections.decrement()
        Sockets.end(descriptor)
        if shared.table.withLock({ $0.remove(token) }) { announcePlace() }
    }

    /// Makes the accepting loop search for a place again.
    private func announcePlace() {
        if listener == nil { shared.mailboxes[0].announcePlace() } else { resumeAccepting() }
    }

    /// Ends a connection that the kernel cannot watch; the others go on.
    func drop(_ connection: SocketConnection) {
        shared.logger.warning("a connection is dropped: epoll_ctl: \(String(cString: strerror(errno)))")
        remove(connection)
    }
}

// MARK: - Room

extension EventLoop {
    /// Finds a place for one more connection. If there is none, the connection that has been idle longest is closed.
    ///
    /// - Returns: whether the place is free already. Else the other connection's loop reports when it is closed; no
    ///   loop waits for another one.
    private func evictSlowest(below limit: Int) -> Bool {
        switch shared.table.withLock({ $0.place(below: limit, at: clock.now().instant) }) {
        case .free: return true
        case .none: return false
        case .held(let entry):
            guard entry.loop == index else {
                shared.mailboxes[entry.loop].evict(entry.token)
                return false
            }
            evict(entry.token)
            return true
        }
    }

    /// Ends a connection that was chosen to make room, unless its client has done something meanwhile.
    func evict(_ token: UInt64) {
        guard let connection = connections[token] else { return }
        guard shared.table.withLock({ $0.isLeaving(token) }) else { return announcePlace() }
        shared.metrics.evictions.increment()
        remove(connection)
    }

    /// Refuses requests that are still coming in until the rest fits into the memory that requests may take.
    ///
    /// - Returns: the bytes that all hold then.
    func shed(at moment: Moment) -> Int {
        // A refusal changes the table, which must not begin this anew: many small requests may be refused for a large
        // one.
        guard !isShedding else { return shared.table.withLock { $0.heldBytes } }
        isShedding = true
        defer { isShedding = false }
        while let entry = shared.table.withLock({ $0.removeSlowest(above: limits.requestMemory) }) {
            if entry.loop == index {
                refuse(entry.token, at: moment)
            } else {
                shared.mailboxes[entry.loop].refuse(entry.token)
            }
        }
        return shared.table.withLock { $0.heldBytes }
    }

    /// Refuses a request for want of memory, unless it has come in meanwhile.
    func refuse(_ token: UInt64, at moment: Moment) {
        guard let connection = connections[token] else { return }
        guard connection.state.machine.waiting == .rest else { return perform(.none, on: connection, at: moment) }
        perform(connection.state.machine.refuseForMemory(at: moment), on: connection, at: moment)
    }

    func pauseAccepting() {
        guard isAccepting, let listener else { return }
        isAccepting = false
        poller.remove(listener)
    }

    func resumeAccepting() {
        guard let listener, !isAccepting, !isStopped, drainDeadline == nil else { return }
        let instant = clock.now().instant
        guard shared.table.withLock({ $0.mayHavePlace(below: limits.connections, at: instant) }) else { return }
        // Where the kernel refuses, the next sweep tries again.
        isAccepting = poller.add(listener, token: Token.listener)
    }
}
