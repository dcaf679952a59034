import Foundation

/// A value behind a pthread mutex.
///
/// `Synchronization.Mutex` spins for long under contention and shows false races under ThreadSanitizer on Linux
/// (swift#88440); this one does neither. Hold it for a few instructions, never across an `await`.
public final class Locked<Value>: @unchecked Sendable {
    // @unchecked: what `value` points to is only touched while `mutex` is held, and neither moves. Unsafe: Swift checks
    // at run time that accesses to a stored property of a class exclude each other, which costs more than the mutex. The
    // mutex excludes a second access already.
    @usableFromInline let value: UnsafeMutablePointer<Value>
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Wraps a value that was not shared before.
    public init(_ value: sending Value) {
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        let code = pthread_mutex_init(mutex, nil)
        precondition(code == 0, "pthread_mutex_init failed with \(code)")
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// Inlinable, so that each use is compiled for its type: every request and record uses it.
    @inlinable public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
