import CLibpq
import Glibc
import Synchronization

/// Asks one operation of a connection to end early; raised from the thread that cancels the task.
final class Interruption: Sendable {
    private let flag = Atomic(false)
    private let wake: WakeDescriptor

    init(wake: WakeDescriptor) { self.wake = wake }

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() {
        flag.store(true, ordering: .releasing)
        wake.signal()
    }
}

/// An eventfd that ends the `poll` of a connection's thread.
final class WakeDescriptor: Sendable {
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit { close(descriptor) }

    func signal() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    /// Takes the signals away; a stale one costs a look at the flag, nothing more.
    func drain() {
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }
}
