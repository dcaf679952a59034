import CEpoll
import Glibc
import Synchronization

/// Asks a thread that connects to give up; raised where its task is cancelled.
final class ConnectInterruption: Sendable {
    private let flag = Atomic(false)
    /// An eventfd that ends the thread's `poll`. Without one (no descriptors left) it ends at its deadline.
    let descriptor = orchard_eventfd()

    deinit { if descriptor >= 0 { close(descriptor) } }

    var isRaised: Bool { flag.load(ordering: .acquiring) }

    func raise() {
        flag.store(true, ordering: .releasing)
        eventfd_write(descriptor, 1)
    }
}
