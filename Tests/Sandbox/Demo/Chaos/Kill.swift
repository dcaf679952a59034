/// One SIGKILL of a service.
struct Kill: Sendable {
    /// What was under way when it struck.
    struct Moment: Sendable {
        /// Payments whose command was acknowledged and that had no final state in the gateway's database.
        var inFlight: Int
        /// Requests that the acquirer held; of a gateway, its own ones only.
        var held: Int
        /// Of a gateway: its operations whose intent was committed and of which no byte had reached the acquirer.
        var intentsUnsent: Int
    }

    /// Such as `charge-gateway 2`.
    let worker: String
    let service: String
    let moment: Moment
    /// From the kill to `/readyz` of the new process.
    let recovery: Duration
}
