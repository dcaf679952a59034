import OrchardServiceKit

/// Reads files again and again, so that a key or a merchant is changed without a restart.
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
    ///   - look: runs at the start and after each reading, also when nothing changed: a key begins and ends by the clock.
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

    /// Runs until it is stopped. What comes into force leaves a line in the log; a file that is refused is told once,
    /// until it changes for another reason.
    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: [String] = []
            report([])
            while true {
                await afterReload()
                try await Task.sleep(for: interval)
                var complaints: [String] = []
                for file in files {
                    if let complaint = await file.reload() { complaints.append(complaint) }
                    if let change = file.nextChange() { logger.notice("\(file.path): \(change)") }
                }
                for complaint in complaints where !known.contains(complaint) {
                    logger.error("a new file is refused; the one read before stays in force: \(complaint)")
                }
                if complaints.isEmpty, !known.isEmpty { logger.notice("every file is in force as it is now") }
                known = complaints
                report(complaints)
            }
        }
    }

    private func report(_ complaints: [String]) {
        readiness?.set(
            Self.component, ready: true,
            reason: complaints.isEmpty
                ? "all are in force as they are now"
                : "WARNING: refused, the one read before stays in force: " + complaints.joined(separator: "; "))
    }
}
