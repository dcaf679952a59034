/// Collects whether the parts of a service can work: the source of `/readyz`.
///
/// Each required part sets itself not ready before it starts, so that the service is never ready by omission.
public final class Readiness: Sendable {
    private let components = Locked<[String: ReadinessReport.Component]>([:])
    private let logger: Logger

    public init(logger: Logger = Logger(label: "readiness")) {
        self.logger = logger
    }

    /// Records that `component` has begun and waits for its first check. This is no problem yet: logged at info level.
    public func begin(_ component: String, reason: String) {
        components.withLock { $0[component] = ReadinessReport.Component(isReady: false, reason: reason) }
        logger.info("\(component) starts: \(reason)", ["component": component])
    }

    /// Records whether `component` ("kafka", "postgres", "sealing keys" …) can work, and why (not).
    ///
    /// A change is logged once. Another reason for not being ready is a change too, unless only numbers in it differ.
    public func set(_ component: String, ready: Bool, reason: String) {
        take(ReadinessReport.Component(isReady: ready, reason: reason), of: component)
    }

    /// Records that `component` works, and what somebody must mend before it stops.
    public func warn(_ component: String, reason: String) {
        take(ReadinessReport.Component(isReady: true, isWarning: true, reason: "WARNING: \(reason)"), of: component)
    }

    private func take(_ new: ReadinessReport.Component, of component: String) {
        let old = components.withLock { all in
            defer { all[component] = new }
            return all[component]
        }
        let reason = new.reason
        switch (old?.isReady, new.isReady) {
        case (true?, true):
            if old?.reason != reason { logger.debug("\(component): \(reason)", ["component": component]) }
        case (false?, false):
            guard let before = old?.reason, before != reason else { return }
            let level: LogLevel = Self.withoutNumbers(before) == Self.withoutNumbers(reason) ? .debug : .warning
            logger.log(level, "\(component) is not ready: \(reason)", metadata: ["component": component])
        case (_, true): logger.notice("\(component) is ready: \(reason)", ["component": component])
        case (_, false): logger.warning("\(component) is not ready: \(reason)", ["component": component])
        }
    }

    /// Offsets, counts and seconds change all the time; a new number alone is no new reason.
    private static func withoutNumbers(_ reason: String) -> [UInt8] {
        reason.utf8.filter { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// The state now.
    public var report: ReadinessReport { ReadinessReport(components: components.withLock { $0 }) }
}

/// What `/readyz` shows: each part of the service and why it is or is not ready.
public struct ReadinessReport: Sendable, Equatable {
    /// The state of one part.
    public struct Component: Sendable, Equatable {
        public let isReady: Bool
        /// Whether it is ready, and somebody must mend something before it stops.
        public let isWarning: Bool
        /// For an operator; never secret.
        public let reason: String

        init(isReady: Bool, isWarning: Bool = false, reason: String) {
            (self.isReady, self.isWarning, self.reason) = (isReady, isWarning, reason)
        }
    }

    public let components: [String: Component]

    /// Ready when every part that has reported is ready.
    public var isReady: Bool { components.values.allSatisfy(\.isReady) }
}
