import OrchardServiceKit

/// Reads key files again and again, so that a key is changed without a restart.
public struct KeyWatch: Service {
    private let files: [KeySetFile]
    private let interval: Duration
    private let logger: Logger
    private let look: @Sendable () async -> Void

    /// - Parameters:
    ///   - interval: time between two readings.
    ///   - look: runs at the start and after each reading, also when nothing changed: a key begins and ends by the clock.
    public init(
        _ files: [KeySetFile], every interval: Duration, logger: Logger, look: @escaping @Sendable () async -> Void = {}
    ) {
        self.files = files
        self.interval = interval
        self.logger = logger
        self.look = look
    }

    /// Runs until it is stopped; a file that is no key set is told once, until it changes for another reason.
    public func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: [String] = []
            while true {
                await look()
                try await Task.sleep(for: interval)
                let complaints = files.compactMap { $0.reload() }
                for complaint in complaints where !known.contains(complaint) {
                    logger.error("a key file cannot be read; the keys read before stay in use: \(complaint)")
                }
                known = complaints
            }
        }
    }
}
