import Contracts
import JOSE
import ServiceKit

/// Reads the key files again and again, and says whether there is a key to seal to: sealing keys change every day.
struct KeyWatch: Service {
    let ticketKeys: KeySetFile
    let sealingKeys: KeySetFile
    let interval: Duration
    let readiness: Readiness
    let logger: Logger

    func run() async throws {
        tell()
        try? await cancelWhenGracefulShutdown {
            var known: [String] = []
            while true {
                try await Task.sleep(for: interval)
                let complaints = [ticketKeys.reload(), sealingKeys.reload()].compactMap { $0 }
                for complaint in complaints where !known.contains(complaint) {
                    logger.error("a key file cannot be read; the keys read before stay in use: \(complaint)")
                }
                known = complaints
                tell()
            }
        }
    }

    private func tell() {
        if let key = sealingKeys.keys.newestActive(at: Timestamp.now.seconds) {
            readiness.set("sealing keys", ready: true, reason: "sealing to \(key.keyID)")
        } else {
            readiness.set(
                "sealing keys", ready: false,
                reason: "no key of \(sealingKeys.path) is in use now; publish one of charge-gateway's")
        }
    }
}
