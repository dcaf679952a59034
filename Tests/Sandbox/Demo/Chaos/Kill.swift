/// One SIGKILL of a service.
struct Kill: Sendable {
    /// Such as `charge-gateway 2`.
    let worker: String
    let service: String
    /// Payments accepted and without an outcome at that moment.
    let inFlight: Int
    /// Requests that the acquirer held at that moment.
    let held: Int
    /// Operations whose intent was committed and whose request the acquirer had not seen.
    let intentsUnsent: Int
    /// From the kill to `/readyz` of the new process.
    let recovery: Duration
}
