import OrchardServiceKit

/// TLS handshakes take turns with everything else.
///
/// A signature of the server costs as much as a hundred requests. So handshakes wait in the order in which their clients
/// spoke, and a round does few of them, behind the requests of the established connections.
extension EventLoop {
    /// How many steps of handshakes a round takes.
    private static let ofRound = 4

    /// Queues a connection whose handshake goes on.
    ///
    /// - Parameter event: nil when it was looked at before.
    func queueHandshake(of connection: SocketConnection, after event: Poller.Event? = nil) {
        if let event { connection.state.note(event) }
        // Every event may let a handshake go on, also that there is room to send.
        connection.state.mayRead = true
        guard !connection.state.isQueued else { return }
        connection.state.isQueued = true
        handshakes.append(connection)
    }

    /// Goes on with those that wait longest.
    func resumeHandshakes(at moment: inout Moment) {
        // Those that were closed meanwhile take no turn: they would wait in vain, and keep their memory.
        handshakes.removeAll { connections[$0.token] !== $0 }
        let round = handshakes.prefix(Self.ofRound)
        handshakes.removeFirst(round.count)
        for connection in round { resume(connection, at: &moment) }
    }
}
