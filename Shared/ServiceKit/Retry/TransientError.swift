/// An error that says whether time alone heals it.
///
/// The errors of Kafka, of PostgreSQL and of the services' own waits adopt it, so that every loop means the same by
/// "try again" (``RetryPolicy``).
public protocol TransientError: Error {
    /// Whether the same work may succeed later without anybody changing anything. False: a person must act first.
    var isTransient: Bool { get }
}
