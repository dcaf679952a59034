import Foundation
import OrchardHTTPTypes
import OrchardServiceKit

/// Requests that come in, and answers that go out.
extension EventLoop {
    func handle(_ event: Poller.Event, on connection: SocketConnection) {
        let moment = clock.now()
        switch connection.machine.interest {
        case .read:
            let result = scratch.withUnsafeMutableBytes { Sockets.read(connection.descriptor, into: $0) }
            switch result {
            case .bytes(let count):
                perform(connection.machine.receive(scratch[..<count], at: moment), on: connection, at: moment)
            case .wouldBlock: break
            case .ended: perform(connection.machine.end(), on: connection, at: moment)
            }
        case .write:
            perform(.none, on: connection, at: moment)
        case .end:
            if event.isEnded { return perform(connection.machine.end(), on: connection, at: moment) }
            register(.end, for: connection)
        }
    }

    /// Performs the machine's actions, sends its output, and watches for what it waits for.
    ///
    /// - Parameter moment: of this round's input; what is done at once needs no other time.
    func perform(_ action: ConnectionMachine.Action, on connection: SocketConnection, at moment: Moment) {
        var action = action
        while true {
            switch action {
            case .none: break
            case .handle(let request):
                guard update(connection, at: moment) <= limits.requestMemory else {
                    action = connection.machine.refuseForMemory(at: moment)
                    continue
                }
                let call = shared.router.call(for: request)
                if case .immediate(let handler) = call.handler {
                    let response = shared.responder.respond(to: request, of: call, with: handler)
                    action =
                        response.map { connection.machine.answer($0, at: moment) } ?? connection.machine.end()
                    continue
                }
                dispatch(request, call, of: connection)
            case .report(let refusal):
                shared.metrics.refused(refusal)
                shared.logger.debug(
                    "request refused", ["status": "\(refusal.status.code)", "reason": refusal.reason])
            case .shutdownWrite: Sockets.shutdownWrite(connection.descriptor)
            case .close: return remove(connection)
            }
            guard !connection.machine.output.isEmpty else { return register(connection, at: moment) }
            guard let count = Sockets.send(connection.descriptor, connection.machine.output) else {
                action = connection.machine.end()
                continue
            }
            if count == 0 { return register(connection, at: moment) }
            action = connection.machine.sent(count, at: moment)
        }
    }

    /// Has a task answer; it is started when the events of this round are worked on.
    private func dispatch(_ request: HTTPRequest, _ call: RouteCall, of connection: SocketConnection) {
        var departure: AsyncStream<Never>?
        if call.whenClientLeaves == .cancel {
            (departure, connection.departure) = AsyncStream<Never>.makeStream()
        }
        pending.append(PendingRequest(token: connection.token, request: request, call: call, departure: departure))
    }

    /// Watches for what the machine waits for. While a request is handled nothing is read. epoll gets to know it only
    /// when input comes: most answers are quicker, and two system calls a request are saved.
    private func register(_ connection: SocketConnection, at moment: Moment) {
        let interest = connection.machine.interest
        if interest != .end { register(interest, for: connection) }
        update(connection, at: moment)
    }

    /// Records in the table what the machine holds and waits for. If all hold too much, the slowest requests are
    /// refused.
    ///
    /// - Returns: the bytes that all hold.
    @discardableResult func update(_ connection: SocketConnection, at moment: Moment) -> Int {
        let (held, waiting) = (connection.machine.heldBytes, connection.machine.waiting)
        let heldByAll = shared.table.withLock { table in
            table.update(connection.token, heldBytes: held, waiting: waiting, at: moment.instant)
            return table.heldBytes
        }
        return heldByAll > limits.requestMemory ? shed(at: moment) : heldByAll
    }

    private func register(_ interest: ConnectionMachine.Interest, for connection: SocketConnection) {
        guard interest != connection.interest else { return }
        connection.interest = interest
        if !poller.change(connection.descriptor, token: connection.token, to: interest) { drop(connection) }
    }
}
