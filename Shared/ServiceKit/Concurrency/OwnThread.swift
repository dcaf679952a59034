import Foundation

/// Runs blocking code on a thread made for it, and waits for its end without blocking the caller's thread.
///
/// Cancellation does not reach the code: the caller must end it by its own means.
public func runOnOwnThread(named name: String, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            body()
            continuation.resume()
        }
        thread.name = name
        thread.start()
    }
}
