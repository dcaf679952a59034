import Contracts
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Watches what waits: tells how old it is and which servers fail, parks what nobody will send, and deletes what ended
/// long ago. Several instances may do so at once.
///
/// A shop's server that is down never makes this service unready: nothing of Orchard's own waits for it.
struct WebhookSweep: Service {
    let store: WebhookStore
    /// The current endpoints. They change while the service runs.
    let targets: @Sendable () -> [WebhookTarget]
    let metrics: LedgerMetrics
    let readiness: Readiness
    let logger: Logger
    var interval = Duration.seconds(15)
    /// Endpoints whose gauge is not 0.
    private let shown = Locked<Set<WebhookName>>([])

    private static let component = "webhooks"
    /// Servers that `/readyz` names; the others are counted.
    private static let named = 3

    init(
        store: WebhookStore, targets: @escaping @Sendable () -> [WebhookTarget], metrics: LedgerMetrics,
        readiness: Readiness, logger: Logger
    ) {
        self.store = store
        self.targets = targets
        self.metrics = metrics
        self.readiness = readiness
        self.logger = logger
    }

    func run() async throws {
        await repeatUntilGracefulShutdown(every: interval) {
            do { try await check(at: .now) } catch {
                guard !Task.isCancelled else { return }
                logger.warning("waiting webhooks cannot be looked at, will try again: \(error)")
            }
        }
    }

    /// Looks at every endpoint once.
    func check(at time: Timestamp) async throws {
        let known = Set(targets().map(\.name))
        try await store.note(Array(known), at: time)
        let endpoints = try await store.endpoints()
        report(endpoints, known, at: time)
        for endpoint in endpoints {
            guard let oldest = endpoint.oldest else { continue }
            if !known.contains(endpoint.name), (endpoint.seenAt ?? oldest) + WebhookRetry.absence < time {
                try await park(
                    endpoint, upTo: time, because: "its endpoint is no longer in merchants.json", at: time)
            } else if let begin = endpoint.failingSince, begin + WebhookRetry.life < time {
                try await park(
                    endpoint, upTo: time - WebhookRetry.life,
                    because: "its server took nothing for 3 days: \(endpoint.reason ?? "")", at: time)
            }
        }
        try await store.prune(before: time - WebhookRetry.retention)
    }

    private func park(
        _ endpoint: WebhookStore.Endpoint, upTo end: Timestamp, because reason: String, at time: Timestamp
    ) async throws {
        let count = try await store.park(endpoint.name, upTo: end, because: reason, at: time)
        guard count > 0 else { return }
        metrics.webhooks(.parked).increment(by: Int64(count))
        logger.error(
            "webhooks are parked: see `order-ledger webhooks list --parked`",
            [
                "merchant": endpoint.name.merchant.description, "endpoint": endpoint.name.endpoint,
                "webhooks": "\(count)", "reason": reason,
            ])
    }

    private func report(_ endpoints: [WebhookStore.Endpoint], _ known: Set<WebhookName>, at time: Timestamp) {
        let waiting = endpoints.filter { $0.oldest != nil }
        let names = Set(waiting.map(\.name)).union(known)
        let gone = shown.withLock { shown in
            defer { shown = names }
            return shown.subtracting(names)
        }
        for name in gone { metrics.oldestWebhook(name).set(0) }
        let ages = Dictionary(waiting.compactMap { endpoint in endpoint.oldest.map { (endpoint.name, time - $0) } }) {
            $1
        }
        for name in names { metrics.oldestWebhook(name).set(max(0, (ages[name] ?? .zero) / .seconds(1))) }
        let failing = endpoints.filter { $0.failingSince != nil && known.contains($0.name) }
        guard !failing.isEmpty else {
            if readiness.report.components[Self.component] != nil {
                readiness.set(Self.component, ready: true, reason: "every shop's server takes them")
            }
            return
        }
        let texts = failing.prefix(Self.named).map { endpoint in
            "\(endpoint.name) since \(endpoint.failingSince?.description ?? "") (\(endpoint.reason ?? ""))"
        }
        let more = failing.count > Self.named ? " and \(failing.count - Self.named) more" : ""
        readiness.warn(
            Self.component, reason: "shops' servers that take none: " + texts.joined(separator: ", ") + more)
    }
}
