import CEpoll
import Foundation

/// An epoll descriptor.
///
/// Sockets of connections are edge-triggered: the kernel reports what changed, once. So a connection is registered once
/// for everything, a round does not ask again about sockets that it has read, and its owner keeps what it has not acted
/// on yet. The loop's own descriptors are level-triggered.
struct Poller: ~Copyable {
    /// What happened to a descriptor.
    struct Event {
        let token: UInt64
        let isReadable: Bool
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

    /// Watches a descriptor until it is readable.
    ///
    /// - Returns: whether the kernel does: it may lack memory, or the user's watches may be used up.
    func add(_ descriptor: Int32, token: UInt64) -> Bool { control(EPOLL_CTL_ADD, descriptor, token, orchard_epoll_in) }

    /// Watches a connection's socket for all changes, for as long as it is open.
    ///
    /// - Returns: whether the kernel does.
    func add(connection socket: Int32, token: UInt64) -> Bool {
        control(
            EPOLL_CTL_ADD, socket, token,
            orchard_epoll_in | orchard_epoll_out | orchard_epoll_peer_closed | orchard_epoll_changes)
    }

    func remove(_ descriptor: Int32) { _ = control(EPOLL_CTL_DEL, descriptor, 0, 0) }

    /// Waits for events.
    ///
    /// - Returns: those that came; they stay valid until the next call.
    func wait(milliseconds: Int32) -> some Sequence<Event> {
        let count = epoll_wait(descriptor, events.baseAddress, Int32(events.count), milliseconds)
        return events[..<max(0, Int(count))].lazy.map { event in
            let flags = event.events
            return Event(
                token: event.data.u64, isReadable: flags & orchard_epoll_in != 0,
                isEnded: flags & (orchard_epoll_peer_closed | orchard_epoll_broken) != 0)
        }
    }

    private func control(_ operation: Int32, _ watched: Int32, _ token: UInt64, _ flags: UInt32) -> Bool {
        var event = epoll_event()
        event.data.u64 = token
        event.events = flags
        return epoll_ctl(descriptor, operation, watched, &event) == 0
    }
}
