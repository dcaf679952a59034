/// What happens to a request's task when its client closes the connection before the answer.
public enum WhenClientLeaves: Sendable, Hashable {
    /// The task runs to its end; for everything that moves money or writes.
    case finish
    /// The task is cancelled; for long polls and other reads.
    case cancel
}
