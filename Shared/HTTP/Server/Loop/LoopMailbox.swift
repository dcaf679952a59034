import CEpoll
import Foundation
import OrchardServiceKit

/// What other threads tell the loop: answers, and that it shall end.
final class LoopMailbox: Sendable {
    struct Contents: Sendable {
        /// An answer that is nil closes its connection.
        var answers: [(token: UInt64, response: EncodedResponse?)] = []
        /// No new connections; end when the requests in hand are answered.
        var drains = false
        /// End at once.
        var stops = false

        var isEmpty: Bool { answers.isEmpty && !drains && !stops }
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

    func answer(_ token: UInt64, _ response: EncodedResponse?) { put { $0.answers.append((token, response)) } }
    func drain() { put { $0.drains = true } }
    func stop() { put { $0.stops = true } }

    /// Everything that came since the last call.
    func take() -> Contents {
        var wakes: eventfd_t = 0
        eventfd_read(descriptor, &wakes)
        return contents.withLock { contents in
            let taken = contents
            contents = Contents()
            return taken
        }
    }

    /// Wakes the loop only when there was nothing yet: it takes all at once.
    private func put(_ change: (inout Contents) -> Void) {
        let wasEmpty = contents.withLock { contents in
            defer { change(&contents) }
            return contents.isEmpty
        }
        if wasEmpty { eventfd_write(descriptor, 1) }
    }
}
