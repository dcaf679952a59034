/// A connection of the loop: its socket and its state. Only the loop's thread touches it.
final class SocketConnection {
    let descriptor: Int32
    /// Generation and descriptor, so that what was meant for an earlier connection never reaches a later one.
    let token: UInt64
    var machine: ConnectionMachine
    /// What epoll was last told.
    var interest = ConnectionMachine.Interest.read
    /// Tells the task of the current request that the client left.
    var departure: AsyncStream<Never>.Continuation?
    /// What the table knows of the machine, and since when.
    var waiting = ConnectionMachine.Waiting.request
    var waitingSince: ContinuousClock.Instant
    var heldBytes = 0

    init(descriptor: Int32, generation: UInt32, machine: ConnectionMachine, at instant: ContinuousClock.Instant) {
        waitingSince = instant
        self.descriptor = descriptor
        token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        self.machine = machine
    }
}
