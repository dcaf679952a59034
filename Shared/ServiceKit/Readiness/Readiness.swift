/// Collects whether the parts of a service can work: the source of `/readyz`.
///
/// A part that is needed sets itself not ready before it starts, so that the service is never ready by omission.
public final class Readiness: Sendable {
    private let components = Locked<[String: ReadinessReport.Component]>([:])
    private let logger: Logger

    public init(logger: Logger = Logger(label: "readiness")) {
        self.logger = logger
    }

    /// Says whether `component` ("kafka", "postgres", "sealing keys" …) can work, and why (not).
    ///
    /// A change of `ready` is logged once, a mere change of the reason only at debug level.
    public func set(_ component: String, ready: Bool, reason: String) {
        let old = components.withLock { all in
            defer { all[component] = ReadinessReport.Component(isReady: ready, reason: reason) }
            return all[component]
        }
        switch (old?.isReady, ready) {
        case (true?, true), (false?, false):
            if old?.reason != reason { logger.debug("\(component): \(reason)", ["component": component]) }
        case (_, true): logger.notice("\(component) is ready: \(reason)", ["component": component])
        case (_, false): logger.warning("\(component) is not ready: \(reason)", ["component": component])
        }
    }

    /// The state now.
    public var report: ReadinessReport { ReadinessReport(components: components.withLock { $0 }) }
}
