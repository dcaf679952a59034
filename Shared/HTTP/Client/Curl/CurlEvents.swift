import CCurl
import CEpoll
import Foundation

/// What libcurl waits for: sockets, and a time at which it wants to be called. Only the client's thread touches it; other
/// threads may wake it.
///
/// libcurl is called for the sockets where something has happened, so that a request costs the same however many others
/// are on their way.
final class CurlEvents {
    /// Wakes the thread that waits; any thread may do so while the events exist.
    struct WakeUp: Sendable {
        fileprivate let descriptor: Int32

        func send() { eventfd_write(descriptor, 1) }
    }

    let wakeUp: WakeUp
    private let epoll: Int32
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// When libcurl wants to be called although nothing has happened at a socket.
    private var deadline: ContinuousClock.Instant?

    /// - Returns: nil when the process may open no more files.
    init?() {
        (epoll, wakeUp) = (orchard_epoll_create(), WakeUp(descriptor: orchard_eventfd()))
        events = .allocate(capacity: 64)
        events.initialize(repeating: epoll_event())
        guard epoll >= 0, wakeUp.descriptor >= 0, control(EPOLL_CTL_ADD, wakeUp.descriptor, orchard_epoll_in) else {
            return nil
        }
    }

    deinit {
        for descriptor in [epoll, wakeUp.descriptor] where descriptor >= 0 { close(descriptor) }
        events.deallocate()
    }

    /// Lets libcurl say what it waits for. The events must live as long as the multi handle.
    func observe(_ multi: UnsafeMutableRawPointer) {
        orchard_multi_set_events(
            multi,
            { _, descriptor, interest, context, _ in
                CurlEvents.at(context).change(descriptor, interest)
                return 0
            },
            { _, milliseconds, context in
                CurlEvents.at(context).deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
                return 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Calls libcurl if its time has come.
    func performDue(_ multi: UnsafeMutableRawPointer) {
        guard let due = deadline, due <= .now else { return }
        // libcurl sets the next time meanwhile.
        deadline = nil
        act(multi, orchard_no_socket, 0)
    }

    /// Waits until something happens, it is woken, libcurl's time has come, or `limit` is over, and calls libcurl for
    /// each socket.
    func wait(_ multi: UnsafeMutableRawPointer, atMost limit: Duration) {
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds(atMost: limit))
        for event in events.prefix(max(0, Int(count))) {
            let descriptor = event.data.fd
            guard descriptor != wakeUp.descriptor else {
                var wakeUps: eventfd_t = 0
                eventfd_read(descriptor, &wakeUps)
                continue
            }
            // An end is an input as well: libcurl reads it.
            let isReadable = event.events & (orchard_epoll_in | orchard_epoll_peer_closed) != 0
            let isWritable = event.events & orchard_epoll_out != 0
            let isBroken = event.events & orchard_epoll_broken != 0
            act(
                multi, descriptor,
                (isReadable ? CURL_CSELECT_IN : 0) | (isWritable ? CURL_CSELECT_OUT : 0)
                    | (isBroken ? CURL_CSELECT_ERR : 0))
        }
    }

    private func act(_ multi: UnsafeMutableRawPointer, _ socket: Int32, _ what: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, what, &running)
    }

    /// Rounded up: a call before its time would do nothing.
    private func milliseconds(atMost limit: Duration) -> Int32 {
        let left = deadline.map { max(.zero, min($0 - .now, limit)) } ?? limit
        return Int32((left / .milliseconds(1)).rounded(.up))
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlEvents {
        guard let context else { preconditionFailure("libcurl gave no context") }
        return Unmanaged<CurlEvents>.fromOpaque(context).takeUnretainedValue()
    }

    /// A socket that the kernel does not watch (it lacks memory) ends with its transfer's time.
    private func change(_ descriptor: Int32, _ interest: Int32) {
        guard interest != CURL_POLL_REMOVE else {
            _ = control(EPOLL_CTL_DEL, descriptor, 0)
            return
        }
        let flags =
            (interest & CURL_POLL_IN != 0 ? orchard_epoll_in | orchard_epoll_peer_closed : 0)
            | (interest & CURL_POLL_OUT != 0 ? orchard_epoll_out : 0)
        if !control(EPOLL_CTL_MOD, descriptor, flags) { _ = control(EPOLL_CTL_ADD, descriptor, flags) }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ flags: UInt32) -> Bool {
        var event = epoll_event()
        event.data.fd = descriptor
        event.events = flags
        return epoll_ctl(epoll, operation, descriptor, &event) == 0
    }
}
