/// Reads files at an interval, so that a key or a merchant can change without a restart.
public struct FileReloader: Service {
    private static let component = "files"
    private let files: [any ReloadedFile]
    private let interval: Duration
    private let readiness: Readiness?
    private let logger: Logger
    private let afterReload: @Sendable () async -> Void

    /// - Parameters:
    ///   - interval: time between two readings.
    ///   - readiness: shows a file that is refused; the service goes on with the one before, so it stays ready.
    ///   - afterReload: runs at the start and after each reading, also when nothing changed: a key begins and ends by the clock.
    public init(
        _ files: [any ReloadedFile], every interval: Duration, readiness: Readiness? = nil, logger: Logger,
        afterReload: @escaping @Sendable () async -> Void = {}
    ) {
        self.files = files
        self.interval = interval
        self.readiness = readiness
        self.logger = logger
        self.afterReload = afterReload
    }

    /// Runs until it is stopped. A new version leaves a line in the log. A refused file is reported once, and again
    /// when the reason changes.
    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: [String] = []
            report([])
            while true {
                await afterReload()
                try await Task.sleep(for: interval)
                var problems: [String] = []
                for file in files {
                    if let problem = await file.reload() { problems.append(problem) }
                    if let change = file.nextChange() { logger.notice("\(file.path): \(change)") }
                }
                for problem in problems where !known.contains(problem) {
                    logger.error("a new file is refused; the one read before stays in force: \(problem)")
                }
                if problems.isEmpty, !known.isEmpty { logger.notice("every file is in force as it is now") }
                known = problems
                report(problems)
            }
        }
    }

    private func report(_ problems: [String]) {
        guard problems.isEmpty else {
            readiness?.warn(
                Self.component,
                reason: "refused, the one read before stays in force: " + problems.joined(separator: "; "))
            return
        }
        readiness?.set(Self.component, ready: true, reason: "all are in force as they are now")
    }
}

/// A file that a service reads again at an interval while it runs.
public protocol ReloadedFile: Sendable {
    /// The file's name.
    var path: String { get }

    /// Reads the file again; when it is wrong, the last good content stays in use.
    ///
    /// - Returns: what is wrong; nil when nothing is wrong.
    func reload() async -> String?

    /// What has changed since the last call, as text for the log; nil when nothing has.
    func nextChange() -> String?
}
