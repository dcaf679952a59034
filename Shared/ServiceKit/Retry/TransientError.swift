/// An error that states whether it goes away without a change.
///
/// The errors of Kafka, of PostgreSQL and of the services' own waits adopt it, so that "try again" means the same in
/// every loop (``RetryPolicy``).
public protocol TransientError: Error {
    /// Whether the same work may succeed later without any change. False: an operator must act first.
    var isTransient: Bool { get }
}
