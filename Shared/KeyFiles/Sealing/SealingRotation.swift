import Contracts
import OrchardJOSE
import OrchardServiceKit

/// Makes the next sealing key a day ahead and destroys keys after their lifetime.
///
/// One instance does it (`sealing.rotate`, `contact.rotate`), in a folder that all instances share. Two do no harm: the
/// folder is locked, and an existing key is not made again. The keys are never in the database, whose backups would keep
/// what must be destroyed.
public struct SealingRotation: Service {
    let files: SealingKeyFiles
    let interval: Duration
    let readiness: Readiness
    let logger: Logger
    let now: @Sendable () -> Timestamp

    private var component: String { "\(files.use.setting) rotation" }

    public init(
        files: SealingKeyFiles, every interval: Duration = .seconds(60), readiness: Readiness, logger: Logger,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        self.files = files
        self.interval = interval
        self.readiness = readiness
        self.logger = logger
        self.now = now
    }

    public func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            rotate()
        }
    }

    /// Makes and destroys keys that are due. A failure is tried again: the current key seals for up to a day more.
    func rotate() {
        do {
            let (added, destroyed) = try files.rotate(now: now())
            if let added { logger.notice("made sealing key \(added.keyID)", ["starts": Self.text(added.notBefore)]) }
            for keyID in destroyed { logger.notice("destroyed sealing key \(keyID)") }
            readiness.set(component, ready: true, reason: "makes the next key a day ahead")
        } catch let error as KeyFileError where error.code == .busy {
            // Another one does it at this moment.
        } catch {
            let text = "the next sealing key cannot be made: \(error)"
            if readiness.report.components[component]?.reason.hasSuffix(text) != true { logger.error("\(text)") }
            readiness.warn(component, reason: text)
        }
    }

    private static func text(_ seconds: Int64?) -> String { seconds.map { "\(Timestamp(seconds: $0))" } ?? "always" }
}
