import Contracts
import KeyFiles
import Ledger
import OrchardHTTPClient
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Sends stored messages to the shops' servers. Several instances share the work: each message is leased to one of them.
///
/// A server that is slow has a few sends at a time, one that fails has one, and neither delays the others.
struct WebhookDelivery: Service {
    let store: WebhookStore
    let clients: WebhookClients
    /// The current endpoints. They change while the service runs.
    let targets: @Sendable () -> [WebhookTarget]
    let metrics: LedgerMetrics
    let logger: Logger
    var now: @Sendable () -> Timestamp = { .now }
    var interval = Duration.seconds(1)
    private let wakeSignal = WakeSignal()
    private let inFlight = Locked<[WebhookName: Int]>([:])

    /// The most sends of this instance, in all and to one endpoint.
    var maximum = (all: 64, endpoint: 8)

    init(
        store: WebhookStore, clients: WebhookClients, targets: @escaping @Sendable () -> [WebhookTarget],
        metrics: LedgerMetrics, logger: Logger
    ) {
        self.store = store
        self.clients = clients
        self.targets = targets
        self.metrics = metrics
        self.logger = logger
    }

    /// Looks for messages now: some were stored.
    func wake() { wakeSignal.wake() }

    /// Delivers until the graceful shutdown. What is on its way then is given back to others.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { [self] in
                // Messages of other instances, pauses and leases that are over.
                await repeatUntilGracefulShutdown(every: interval) { [self] in
                    wake()
                }
            }
            await withGracefulShutdownHandler {
                for await _ in wakeSignal.wakeups {
                    for (message, target) in await take() { group.addTask { await deliver(message, to: target) } }
                }
            } onGracefulShutdown: {
                wakeSignal.finish()
            }
        }
    }

    /// Sends what is due now and may be sent, and waits for the ends.
    ///
    /// - Returns: how many messages.
    @discardableResult
    func deliverDue() async -> Int {
        let messages = await take()
        await withDiscardingTaskGroup { group in
            for (message, target) in messages { group.addTask { await deliver(message, to: target) } }
        }
        return messages.count
    }

    /// Leases what this instance has room for.
    private func take() async -> [(WebhookStore.Leased, WebhookTarget)] {
        let targets = Dictionary(targets().map { ($0.name, $0) }) { first, _ in first }
        let (slots, room) = inFlight.withLock { inFlight in
            let slots = targets.mapValues { maximum.endpoint - (inFlight[$0.name] ?? 0) }.filter { $0.value > 0 }
            return (slots, maximum.all - inFlight.values.reduce(0, +))
        }
        do {
            let messages = try await store.take(slots, upTo: room, at: now())
            inFlight.withLock { inFlight in for message in messages { inFlight[message.name, default: 0] += 1 } }
            return messages.compactMap { message in targets[message.name].map { (message, $0) } }
        } catch {
            if !Task.isCancelled {
                logger.warning("webhooks that are due cannot be read, will try again: \(error)")
            }
            return []
        }
    }

    private func deliver(_ message: WebhookStore.Leased, to target: WebhookTarget) async {
        defer {
            inFlight.withLock { inFlight in
                let rest = (inFlight[message.name] ?? 1) - 1
                inFlight[message.name] = rest > 0 ? rest : nil
            }
            wake()
        }
        // At the stop a message that was just given back may have been taken again: a send would begin before it is
        // cancelled.
        let isStopping = GracefulShutdown.current?.hasBegun == true
        let sent =
            isStopping
            ? nil
            : try? await cancelWhenGracefulShutdown {
                await clients.send(Array(message.body.utf8), id: message.id, to: target, at: now())
            }
        let (result, reason) = sent ?? (.stopped, nil)
        let time = now()
        let verdict = WebhookRetry.verdict(result, age: time - message.triedFrom, failures: message.failures)
        do {
            let failures = try await store.finish(message, verdict, reason: reason, at: time)
            report(message, verdict, reason, failures)
        } catch {
            // Its lease ends, and it is sent again.
            logger.warning("the end of a webhook cannot be stored: \(error)", message.place)
        }
    }

    private func report(
        _ message: WebhookStore.Leased, _ verdict: WebhookRetry.Verdict, _ reason: String?,
        _ failures: (before: Int, after: Int)
    ) {
        switch verdict {
        case .delivered: metrics.webhooks(.delivered).increment()
        case .retry: metrics.webhooks(.failed).increment()
        case .parked:
            metrics.webhooks(.failed).increment()
            metrics.webhooks(.parked).increment()
            logger.error(
                "a webhook was not taken for 3 days and is parked: see `order-ledger webhooks list --parked`",
                message.place.merging(["reason": reason ?? ""]) { $1 })
        case .released: break
        }
        switch (failures.before, failures.after) {
        case (0, 1...):
            logger.warning(
                "a shop's server takes no webhooks, will try again",
                message.place.merging(["reason": reason ?? ""]) { $1 })
        case (1..., 0): logger.notice("a shop's server takes webhooks again", message.place)
        default: break
        }
    }
}

extension WebhookStore.Leased {
    /// For the log.
    fileprivate var place: [String: String] {
        [
            "merchant": name.merchant.description, "endpoint": name.endpoint, "order_id": order.description,
            "message_id": id.description,
        ]
    }
}
