import Foundation
import OrchardServiceKit

/// Work with an exit status that Ctrl-C and SIGTERM end in order.
struct Interruptible: Service {
    /// Thrown, because a service that merely returns counts as a fault.
    private struct End: Error { let status: Int32 }

    private let work: @Sendable () async throws -> Int32

    /// Does the work as the service of a group that handles the signals.
    ///
    /// - Returns: the work's exit status.
    static func run(_ label: String, _ work: @escaping @Sendable () async throws -> Int32) async throws -> Int32 {
        let group = ServiceGroup(
            services: [Interruptible(work: work)], logger: Logger(label: label, level: .critical),
            maximumShutdownDuration: .seconds(60))
        do { try await group.run() } catch let end as End { return end.status }
        return 1
    }

    func run() async throws { throw End(status: try await work()) }
}
