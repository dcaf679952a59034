import CEpoll
import Foundation
import OrchardHTTPTypes
import OrchardServiceKit

/// What other tasks send to a loop: answers, connections, and the order to end.
final class LoopMailbox: Sendable {
    struct Contents: Sendable {
        /// Connections that the accepting loop gives to this one.
        var accepted: [ConnectionTable.Entry] = []
        /// An answer that is nil closes its connection.
        var answers: [(token: UInt64, response: CheckedResponse?)] = []
        /// Connections that make room for others.
        var evicted: [UInt64] = []
        /// Connections whose requests memory has no room for.
        var refused: [UInt64] = []
        /// There may be a place for a connection again.
        var hasPlace = false
        /// No new connections; end when the current requests are answered.
        var drains = false
        /// End at once.
        var stops = false
        /// Whether the loop was woken for what is there.
        fileprivate var isSignalled = false
        /// Whether the loop has ended: it accepts nothing any more.
        fileprivate var hasEnded = false
    }

    /// Readable when there are contents.
    let descriptor: Int32
    private let contents = Locked(Contents())

    init() throws(HTTPServerError) {
        descriptor = orchard_eventfd()
        guard descriptor >= 0 else {
            throw HTTPServerError(.poll, "eventfd: \(String(cString: strerror(errno))); raise the limit of open files")
        }
    }

    deinit { close(descriptor) }

    /// - Returns: whether the loop accepts it; false when it has ended.
    func accept(_ connection: ConnectionTable.Entry) -> Bool { put { $0.accepted.append(connection) } }
    func answer(_ token: UInt64, _ response: CheckedResponse?) { put { $0.answers.append((token, response)) } }
    func evict(_ token: UInt64) { put { $0.evicted.append(token) } }
    func refuse(_ token: UInt64) { put { $0.refused.append(token) } }
    func announcePlace() { put { $0.hasPlace = true } }
    func drain() { put { $0.drains = true } }
    func stop() { put { $0.stops = true } }

    /// Everything that came since the last call.
    func removeAll() -> Contents {
        var wakes: eventfd_t = 0
        eventfd_read(descriptor, &wakes)
        return contents.withLock { contents in
            defer { contents = Contents() }
            return contents
        }
    }

    /// Removes the rest, and accepts nothing from now on.
    func end() -> Contents {
        contents.withLock { contents in
            defer { contents = Contents(hasEnded: true) }
            return contents
        }
    }

    /// Wakes the loop only when there was nothing yet: it removes all at once.
    @discardableResult private func put(_ change: (inout Contents) -> Void) -> Bool {
        let (isTaken, wasTold) = contents.withLock { contents -> (Bool, Bool) in
            guard !contents.hasEnded else { return (false, true) }
            defer { contents.isSignalled = true }
            change(&contents)
            return (true, contents.isSignalled)
        }
        if !wasTold { eventfd_write(descriptor, 1) }
        return isTaken
    }
}

/// A request on its way from the loop to a task.
struct PendingRequest: Sendable {
    /// Names the connection to the loop.
    let token: UInt64
    let request: HTTPRequest
    let call: RouteCall
    /// Ends when the client left; nil when the route does not care.
    let departure: AsyncStream<Never>?
}
