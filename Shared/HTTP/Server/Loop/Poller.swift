import CEpoll
import Foundation

/// An epoll descriptor, level-triggered.
struct Poller: ~Copyable {
    /// What happened to a descriptor.
    struct Event {
        let token: UInt64
        let isReadable: Bool
        let isWritable: Bool
        /// The peer closed its side or the connection broke.
        let isEnded: Bool
    }

    private let descriptor: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>

    init() throws(HTTPServerError) {
        descriptor = orchard_epoll_create()
        guard descriptor >= 0 else {
            throw HTTPServerError(
                .poll, "epoll_create: \(String(cString: strerror(errno))); raise the limit of open files")
        }
        events = .allocate(capacity: 256)
        events.initialize(repeating: epoll_event())
    }

    deinit {
        events.deallocate()
        close(descriptor)
    }

    /// Watches a descriptor.
    ///
    /// - Returns: whether the kernel does: it may lack memory, or the user's watches may be used up.
    func add(_ socket: Int32, token: UInt64, for interest: ConnectionMachine.Interest) -> Bool {
        control(EPOLL_CTL_ADD, socket, token, interest)
    }

    /// Watches a descriptor for something else from now on.
    ///
    /// - Returns: whether the kernel does.
    func change(_ socket: Int32, token: UInt64, to interest: ConnectionMachine.Interest) -> Bool {
        control(EPOLL_CTL_MOD, socket, token, interest)
    }

    func remove(_ socket: Int32) { _ = control(EPOLL_CTL_DEL, socket, 0, .end) }

    /// Waits for events and hands each over.
    func wait(milliseconds: Int32, _ body: (Event) -> Void) {
        let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for event in events[..<Int(count)] {
            let flags = event.events
            body(
                Event(
                    token: event.data.u64, isReadable: flags & orchard_epoll_in != 0,
                    isWritable: flags & orchard_epoll_out != 0,
                    isEnded: flags & (orchard_epoll_peer_closed | orchard_epoll_broken) != 0))
        }
    }

    private func control(
        _ operation: Int32, _ socket: Int32, _ token: UInt64, _ interest: ConnectionMachine.Interest
    ) -> Bool {
        var event = epoll_event()
        event.data.u64 = token
        event.events =
            switch interest {
            case .end: orchard_epoll_peer_closed
            case .read: orchard_epoll_in | orchard_epoll_peer_closed
            case .write: orchard_epoll_out
            }
        return epoll_ctl(descriptor, operation, socket, &event) == 0
    }
}
