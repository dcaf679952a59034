import COrchardOpenSSL

/// OpenSSL contexts that are prepared for one operation and kept for their next use.
///
/// A context (and with it a key's operation) is prepared once for each concurrent caller instead of once for each call.
/// Only one caller uses a context at a time. A context that failed is freed, since its state is unknown.
final class ContextPool: Sendable {
    private static let capacity = 64

    private let idle = Guarded<[Idle]>([])
    private let make: @Sendable () -> OpaquePointer?
    private let free: @Sendable (OpaquePointer?) -> Void

    /// A pool of contexts that `make` prepares; `make` returns nil when OpenSSL refuses.
    init(_ make: @escaping @Sendable () -> OpaquePointer?, free: @escaping @Sendable (OpaquePointer?) -> Void) {
        self.make = make
        self.free = free
    }

    deinit {
        idle.current.forEach { free($0.context) }
    }

    /// Lends a context to `body`.
    func withContext<Result: ~Copyable>(
        _ body: (OpaquePointer) throws(CryptoError) -> Result
    ) throws(CryptoError) -> Result {
        guard let context = acquire() else { throw .openSSL(.library, "no context for the operation") }
        do throws(CryptoError) {
            let result = try body(context)
            release(context)
            return result
        } catch {
            free(context)
            throw error
        }
    }

    /// A context for the caller alone until ``giveBack(_:)``; nil when OpenSSL refuses.
    func acquire() -> OpaquePointer? {
        idle.change { $0.popLast() }?.context ?? make()
    }

    func release(_ context: OpaquePointer) {
        let isKept = idle.change { idle in
            if idle.count < Self.capacity { idle.append(Idle(context: context)) }
            return idle.last?.context == context
        }
        if !isKept { free(context) }
    }
}

/// A context that is not in use.
private struct Idle: @unchecked Sendable {
    // @unchecked: the caller that takes it out of the pool is its only user.
    let context: OpaquePointer
}
