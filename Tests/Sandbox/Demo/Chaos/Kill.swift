/// One SIGKILL of a service.
struct Kill: Sendable {
    /// The state at the moment of the kill.
    struct Moment: Sendable {
        /// Payments whose command was acknowledged and that had no final state in the gateway's database.
        var inFlight: Int
        /// Requests that the acquirer held; for a gateway, only its own requests.
        var held: Int
        /// For a gateway: operations whose intent was committed and of which no byte had reached the acquirer.
        var intentsUnsent: Int
    }

    /// Such as `charge-gateway 2`.
    let worker: String
    let service: String
    let moment: Moment
    /// The time from the kill until `/readyz` of the new process answers.
    let recovery: Duration
}
