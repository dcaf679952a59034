import Foundation

/// Runs blocking code on a thread made for it, and waits for its end without blocking the caller's.
///
/// The caller tells the code to end by a means of its own: cancellation does not reach it.
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
