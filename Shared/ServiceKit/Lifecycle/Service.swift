/// A part of the process that runs until it is stopped.
///
/// `run()` returns when a graceful shutdown was requested and the work in progress is done; it throws when the process
/// can do no useful work any more. Cancellation of the task means "stop now". (Shape of swift-service-lifecycle.)
public protocol Service: Sendable {
    func run() async throws
}

/// Why a ``ServiceGroup`` ended without a request to stop, or not in time.
public struct ServiceGroupError: Error, Sendable, CustomStringConvertible {
    /// What is wrong.
    public enum Code: Sendable, Equatable {
        /// A service's `run()` returned before the shutdown.
        case returnedEarly
        /// Services were still busy at the end of the maximum shutdown duration and were cancelled.
        case tookTooLong
    }

    public let code: Code
    public let reason: String

    public var description: String { reason }
}
