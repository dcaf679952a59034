import JOSE
import Postgres
import ServiceKit

/// Reads the key files again and again, and says whether a key that is needed is missing.
struct KeyWatch: Service {
    let ticketKeys: KeySetFile
    let sealingKeys: KeySetFile
    let needs: KeyNeeds
    let interval: Duration
    let readiness: Readiness
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: [String] = []
            while true {
                await tell()
                try await Task.sleep(for: interval)
                let complaints = [ticketKeys.reload(), sealingKeys.reload()].compactMap { $0 }
                for complaint in complaints where !known.contains(complaint) {
                    logger.error("a key file cannot be read; the keys read before stay in use: \(complaint)")
                }
                known = complaints
            }
        }
    }

    private func tell() async {
        // A database that is away is the pool's to tell.
        guard let missing = try? await needs.missing(from: sealingKeys.keys) else { return }
        readiness.set(
            "sealing keys", ready: missing.isEmpty,
            reason: missing.isEmpty
                ? "every waiting charge can be opened" : KeyNeeds.complaint(missing, sealingKeys.path))
    }
}
