/// Something that runs until it is told to stop.
///
/// `run()` returns after a graceful shutdown was asked for and the work in hand is done; it throws when the process
/// can do no useful work any more. Cancellation of the task means "stop now". (Shape of swift-service-lifecycle.)
public protocol Service: Sendable {
    func run() async throws
}
