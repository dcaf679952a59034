/// A part of the process that runs until it is stopped.
///
/// `run()` returns when a graceful shutdown was requested and the work in progress is done; it throws when the process
/// can do no useful work any more. Cancellation of the task means "stop now". (Shape of swift-service-lifecycle.)
public protocol Service: Sendable {
    func run() async throws
}
