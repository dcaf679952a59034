import Foundation
import OrchardHTTPTypes
import OrchardServiceKit

/// Requests that come in, and answers that go out.
extension EventLoop {
    /// How many requests and answers wait for each other at most: the first must not wait long, and each answer takes
    /// memory.
    private static let waitingCount = 16
    /// When this many bytes are received, they are read: many more would not fit into the processor's first cache.
    private static let waitingBytes = 16 << 10

    /// - Parameter moment: the time of this round; afterwards, when the last handler that ran answered.
    func handle(_ event: Poller.Event, on connection: SocketConnection, at moment: inout Moment) {
        conclude(serve(connection, &connection.state, event, at: &moment), on: connection, at: &moment)
    }

    /// Goes on with a connection that was queued, if it is still there.
    func resume(_ connection: SocketConnection, at moment: inout Moment) {
        // It may have had an event as well: what that brought comes before what comes now.
        if received.contains(where: { $0.connection === connection }) { readRequests(at: &moment) }
        // Behind it: an answer that could not be sent may have closed the connection.
        guard connections[connection.token] === connection else { return }
        conclude(serve(connection, &connection.state, nil, at: &moment), on: connection, at: &moment)
    }

    /// Reads the requests that were received, and sends the answers that wait.
    ///
    /// A round receives from several sockets, then reads these requests, then sends their answers, instead of all for
    /// one connection after the other: so the code of each step, the kernel's above all, stays in the processor's caches.
    /// That spares a fifteenth.
    func answer(at moment: inout Moment) {
        readRequests(at: &moment)
        sendAnswers(at: moment)
    }

    /// Reads the requests that were received.
    private func readRequests(at moment: inout Moment) {
        for index in received.indices {
            let (connection, bytes) = received[index]
            guard connections[connection.token] === connection else { continue }
            conclude(read(bytes, connection, &connection.state, at: &moment), on: connection, at: &moment)
        }
        received.removeAll(keepingCapacity: true)
        input.release()
    }

    /// Sends the answers that wait.
    private func sendAnswers(at moment: Moment) {
        // By index, without a copy: sending adds no connection.
        for index in unsent.indices { perform(.none, on: unsent[index], at: moment) }
        unsent.removeAll(keepingCapacity: true)
    }

    /// Performs the machine's actions, sends its output, and records what it waits for.
    func perform(_ action: ConnectionMachine.Action, on connection: SocketConnection, at moment: Moment) {
        // What was done for another connection may have closed this one.
        guard connections[connection.token] === connection else { return }
        var moment = moment
        conclude(run(action, connection, &connection.state, at: &moment), on: connection, at: &moment)
    }

    /// What follows when the connection's state is not accessed any more.
    private func conclude(_ outcome: Outcome, on connection: SocketConnection, at moment: inout Moment) {
        switch outcome {
        case .nothing: break
        case .ended: remove(connection)
        case .hasBytes(let bytes):
            received.append((connection, bytes))
            if received.count == Self.waitingCount || input.count >= Self.waitingBytes { readRequests(at: &moment) }
        case .hasAnswer:
            unsent.append(connection)
            if unsent.count == Self.waitingCount { sendAnswers(at: moment) }
        case .stands(let standing, let goesOn):
            if goesOn, connection.isInHandshake {
                queueHandshake(of: connection)
            } else if goesOn {
                connection.state.isQueued = true
                queued.append(connection)
            }
            update(connection.token, standing, at: moment)
        }
    }

    private enum Outcome {
        case nothing
        case ended
        /// They are to be read with others.
        case hasBytes(Range<Int>)
        /// Its answer is to be sent with others.
        case hasAnswer
        case stands(ConnectionMachine.Standing, goesOn: Bool)
    }

    /// Does what the connection's machine waits for, as far as the socket allows it: one read at most, so that no
    /// connection keeps the others waiting.
    ///
    /// - Parameter event: nil for a connection that was queued.
    private func serve(
        _ connection: SocketConnection, _ state: inout SocketConnection.State, _ event: Poller.Event?,
        at moment: inout Moment
    ) -> Outcome {
        if let event {
            state.note(event)
            // Reading may have waited until there is room to send: TLS answers by itself.
            if connection.tls != nil { state.mayRead = true }
        } else {
            state.isQueued = false
        }
        switch state.machine.interest {
        case .read:
            guard state.mayRead || state.isEnded else { return .nothing }
            let (result, bytes, isFull) = input.receive(from: connection)
            // What a read leaves fills the memory; what comes later is an event of its own.
            state.mayRead = isFull
            switch result {
            case .bytes: return .hasBytes(bytes)
            case .wouldBlock: return state.mayRead ? run(.none, connection, &state, at: &moment) : .nothing
            case .ended: return run(state.machine.end(), connection, &state, at: &moment)
            }
        case .write: return run(.none, connection, &state, at: &moment)
        case .end:
            return state.isEnded ? run(state.machine.end(), connection, &state, at: &moment) : .nothing
        }
    }

    /// Reads what was received on a connection.
    private func read(
        _ bytes: Range<Int>, _ connection: SocketConnection, _ state: inout SocketConnection.State,
        at moment: inout Moment
    ) -> Outcome {
        // Another request may have taken the memory that this one needed: it is refused, and its rest is in vain.
        guard case .read = state.machine.interest else { return .nothing }
        var action = ConnectionMachine.Action.none
        input.withBytes(bytes) { action = state.machine.receive($0, at: moment) }
        return run(action, connection, &state, at: &moment, sendsLater: true)
    }

    /// - Parameter sendsLater: leaves the answer to ``sendAnswers(at:)``.
    private func run(
        _ action: consuming ConnectionMachine.Action, _ connection: SocketConnection,
        _ state: inout SocketConnection.State, at moment: inout Moment, sendsLater: Bool = false
    ) -> Outcome {
        var next: ConnectionMachine.Action? = action
        while let action = next.take() {
            switch action {
            case .none: break
            case .handle(let request):
                let call = shared.router.call(for: request)
                if case .immediate(let handler) = call.handler {
                    let response = shared.responder.respond(to: request, of: call, with: handler, at: &moment.instant)
                    guard let response else { return .ended }
                    state.machine.borrowMemory(&spare)
                    next = state.machine.answer(response, at: moment)
                    continue
                }
                guard update(connection.token, state.machine.standing, at: moment) <= limits.requestMemory else {
                    next = state.machine.refuseForMemory(at: moment)
                    continue
                }
                dispatch(request, call, of: connection)
            case .report(let refusal):
                shared.metrics.refused(refusal)
                shared.logger.debug(
                    "request refused", ["status": "\(refusal.status.code)", "reason": refusal.reason])
            case .shutdownWrite: connection.shutdownWrite()
            case .close: return .ended
            }
            guard state.machine.hasOutput else { break }
            guard !sendsLater else { return .hasAnswer }
            guard let count = state.machine.withOutput({ connection.send($0) }) else {
                return .ended
            }
            guard count > 0 else { break }
            next = state.machine.sent(count, at: moment)
            state.machine.returnMemory(&spare)
        }
        let standing = state.machine.standing
        let goesOn =
            switch standing.interest {
            case .read: state.mayRead || state.isEnded
            case .end: state.isEnded
            case .write: false
            }
        return .stands(standing, goesOn: goesOn && !state.isQueued)
    }

    /// Has a task answer; it is started when the events of this round are worked on.
    private func dispatch(_ request: HTTPRequest, _ call: RouteCall, of connection: SocketConnection) {
        var departure: AsyncStream<Never>?
        if call.whenClientLeaves == .cancel {
            (departure, connection.departure) = AsyncStream<Never>.makeStream()
        }
        pending.append(PendingRequest(token: connection.token, request: request, call: call, departure: departure))
    }

    /// Records in the table what a machine holds and waits for. If all hold too much, the slowest requests are refused.
    ///
    /// - Returns: the bytes that all hold.
    @discardableResult private func update(
        _ token: UInt64, _ standing: ConnectionMachine.Standing, at moment: Moment
    ) -> Int {
        let heldByAll = shared.table.withLock { table in
            table.update(
                token, heldBytes: standing.heldBytes, waiting: standing.waiting, since: standing.waitingSince)
            return table.heldBytes
        }
        return heldByAll > limits.requestMemory ? shed(at: moment) : heldByAll
    }
}
