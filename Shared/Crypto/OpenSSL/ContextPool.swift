import COpenSSL

/// OpenSSL contexts that are prepared for one operation and wait for their next use.
///
/// Preparing a context (and with it a key's operation) is paid once a concurrent caller instead of once a call. A
/// context belongs to one caller at a time; one that failed is thrown away, since its state is not known.
final class ContextPool: @unchecked Sendable {
    // @unchecked: `idle` is touched only while `lock` is held; everything else is immutable.
    private static let capacity = 64

    private let lock: UnsafeMutableRawPointer?
    private var idle: [OpaquePointer] = []
    private let make: @Sendable () -> OpaquePointer?
    private let free: @Sendable (OpaquePointer?) -> Void

    /// A pool of contexts that `make` prepares; `make` answers nil when OpenSSL refuses.
    init(_ make: @escaping @Sendable () -> OpaquePointer?, free: @escaping @Sendable (OpaquePointer?) -> Void) {
        lock = CRYPTO_THREAD_lock_new()
        precondition(lock != nil, "no memory for a lock")
        self.make = make
        self.free = free
    }

    deinit {
        idle.forEach(free)
        CRYPTO_THREAD_lock_free(lock)
    }

    /// Lends a context to `body`.
    func withContext<Result: ~Copyable>(
        _ body: (OpaquePointer) throws(CryptoError) -> Result
    ) throws(CryptoError) -> Result {
        guard let context = take() ?? make() else { throw .openSSL(.library, "no context for the operation") }
        do throws(CryptoError) {
            let result = try body(context)
            giveBack(context)
            return result
        } catch {
            free(context)
            throw error
        }
    }

    func take() -> OpaquePointer? {
        CRYPTO_THREAD_write_lock(lock)
        defer { CRYPTO_THREAD_unlock(lock) }
        return idle.popLast()
    }

    func giveBack(_ context: OpaquePointer) {
        CRYPTO_THREAD_write_lock(lock)
        let isKept = idle.count < Self.capacity
        if isKept { idle.append(context) }
        CRYPTO_THREAD_unlock(lock)
        if !isKept { free(context) }
    }
}
