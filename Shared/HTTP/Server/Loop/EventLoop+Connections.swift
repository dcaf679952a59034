import Foundation
import OrchardServiceKit

/// Connections that come, make room for others, and go.
extension EventLoop {
    /// Takes waiting connections, and gives each to the loop that has fewest.
    func accept() {
        guard let listener else { return }
        while isAccepting {
            let descriptor = Sockets.accept(listener)
            guard descriptor >= 0 else {
                // Out of descriptors or memory: an idle connection makes room, or the backlog waits for the next sweep.
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(-descriptor), !makeRoom() {
                    pauseAccepting()
                    shared.table.withLock { $0.isFull = true }
                }
                return
            }
            let moment = clock.now()
            let entry = shared.table.withLock { $0.add(descriptor, at: moment.instant) }
            shared.metrics.connections.increment()
            if entry.loop == index {
                adopt(entry, at: moment)
            } else if !shared.mailboxes[entry.loop].accept(entry) {
                discard(entry)
            }
            // More than one where an earlier choice was taken back, as its request came in.
            while shared.table.withLock({
                $0.count > limits.connections && $0.evictable(at: clock.now().instant) != nil
            }) { makeRoom() }
            if !hasRoom(at: moment) { pauseAccepting() }
        }
    }

    func adopt(_ entry: ConnectionTable.Entry, at moment: Moment) {
        let connection = SocketConnection(entry, machine: ConnectionMachine(limits: limits, at: moment))
        connections.add(connection)
        guard poller.add(entry.descriptor, token: entry.token, for: .read) else { return drop(connection) }
        if drainDeadline != nil { perform(connection.machine.drain(), on: connection, at: moment) }
    }

    /// Closes a connection that no loop has taken over.
    func discard(_ entry: ConnectionTable.Entry) {
        _ = shared.table.withLock { $0.remove(entry.token) }
        shared.metrics.connections.decrement()
        close(entry.descriptor)
    }

    func remove(_ connection: SocketConnection) {
        connection.departure?.finish()
        connection.departure = nil
        connections.remove(connection)
        let isAwaited = shared.table.withLock { $0.remove(connection.token) }
        close(connection.descriptor)
        shared.metrics.connections.decrement()
        if isAwaited { listener == nil ? shared.mailboxes[0].tellRoom() : resumeAccepting() }
    }

    /// Ends a connection that the kernel cannot watch; the others go on.
    func drop(_ connection: SocketConnection) {
        shared.logger.warning("a connection is dropped: epoll_ctl: \(String(cString: strerror(errno)))")
        remove(connection)
    }
}

// MARK: - Room

extension EventLoop {
    /// Whether there is a place for one more connection, or one that makes room.
    private func hasRoom(at moment: Moment) -> Bool {
        shared.table.withLock { table in
            let hasRoom = table.count < limits.connections || table.evictable(at: moment.instant) != nil
            table.isFull = !hasRoom
            return hasRoom
        }
    }

    /// Ends the connection that has been idle longest; where another loop owns it, a moment later.
    ///
    /// - Returns: whether there is room already.
    @discardableResult private func makeRoom() -> Bool {
        guard let entry = shared.table.withLock({ $0.takeEvictable(at: clock.now().instant) }) else { return false }
        guard entry.loop == index, let connection = connections[entry.token] else {
            shared.mailboxes[entry.loop].evict(entry.token)
            return false
        }
        shared.metrics.evictions.increment()
        remove(connection)
        return true
    }

    /// Ends a connection that the accepting loop has chosen, unless its request has come in meanwhile.
    func evict(_ token: UInt64, at moment: Moment) {
        guard let connection = connections[token] else { return }
        guard connection.machine.waiting != .nothing else {
            shared.table.withLock { $0.restore(token, loop: index, at: moment.instant) }
            note(connection, at: moment)
            return
        }
        shared.metrics.evictions.increment()
        remove(connection)
    }

    /// Refuses requests that are still coming in until the rest fits into the memory that requests may take.
    ///
    /// - Returns: the bytes that all hold then.
    func shed(at moment: Moment) -> Int {
        // Refusing tells the table, which must not begin this anew: many small requests may go for a large one.
        guard !isShedding else { return shared.table.withLock { $0.heldBytes } }
        isShedding = true
        defer { isShedding = false }
        while let entry = shared.table.withLock({ $0.takeSlowest(above: limits.requestMemory) }) {
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
        guard connection.machine.waiting == .rest else {
            note(connection, at: moment)
            return
        }
        perform(connection.machine.refuseForMemory(at: moment), on: connection, at: moment)
    }

    func pauseAccepting() {
        guard isAccepting, let listener else { return }
        isAccepting = false
        poller.remove(listener)
    }

    func resumeAccepting() {
        guard let listener, !isAccepting, !isStopped, drainDeadline == nil, hasRoom(at: clock.now()) else { return }
        // Where the kernel refuses, the next sweep tries again.
        isAccepting = poller.add(listener, token: Token.listener, for: .read)
    }
}
