import COrchardOpenSSL

/// A value behind a lock that allows many readers at once.
///
/// For a few instructions only, never across an `await`. (ServiceKit's lock is not used: this library builds without it.)
package final class Guarded<Value: Sendable>: @unchecked Sendable {
    // @unchecked: `value` is read only under the read lock and changed only under the write lock.
    private var value: Value
    private let lock: UnsafeMutableRawPointer?

    package init(_ value: Value) {
        self.value = value
        lock = CRYPTO_THREAD_lock_new()
        precondition(lock != nil, "no memory for a lock")
    }

    deinit {
        CRYPTO_THREAD_lock_free(lock)
    }

    /// The value as it is now.
    package var current: Value {
        CRYPTO_THREAD_read_lock(lock)
        defer { CRYPTO_THREAD_unlock(lock) }
        return value
    }

    /// Changes the value.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        CRYPTO_THREAD_write_lock(lock)
        defer { CRYPTO_THREAD_unlock(lock) }
        return body(&value)
    }
}
