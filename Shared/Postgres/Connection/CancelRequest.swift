import CLibpq
import Dispatch
import Foundation
import OrchardServiceKit

/// Asks the server, over a connection of its own, to cancel what a session runs.
///
/// @unchecked: a `PGcancel` never changes after it was made, and `PQcancel` may be called from any thread.
final class CancelRequest: @unchecked Sendable {
    private let request: OpaquePointer

    init?(_ session: OpaquePointer) {
        guard let request = PQgetCancel(session) else { return nil }
        self.request = request
    }

    deinit { PQfreeCancel(request) }

    /// Sends it from a thread of its own: `PQcancel` blocks and has no time-out, and a server that hangs accepts the
    /// connection and does not answer. Another thread waits for it: that time must pass also in a cancelled task.
    ///
    /// - Returns: whether the server has received it in time, so that no later statement is cancelled.
    func send(withinSeconds limit: Double, isolation: isolated (any Actor)? = #isolation) async -> Bool {
        let isHeard = Locked(false)
        await runOnOwnThread(named: "postgres-wait") { [self] in
            let heard = DispatchSemaphore(value: 0)
            let thread = Thread { [self] in
                var message = [CChar](repeating: 0, count: 256)
                PQcancel(request, &message, 256)
                heard.signal()
            }
            thread.name = "postgres-cancel"
            thread.start()
            let answer = heard.wait(timeout: .now() + limit) == .success
            isHeard.withLock { $0 = answer }
        }
        return isHeard.withLock { $0 }
    }
}
