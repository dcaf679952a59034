import Contracts
import Ledger
import OrchardServiceKit

/// The ledger's own metrics.
struct LedgerMetrics: Sendable {
    private let registry: MetricsRegistry
    let ordersOpened: Counter
    let ordersRepriced: Counter
    let commandsForwarded: Counter
    let duplicates: Counter
    let longPolls: Gauge
    let batchTime: Histogram

    init(_ registry: MetricsRegistry) {
        self.registry = registry
        ordersOpened = registry.counter("order_ledger_orders_opened", help: "Orders opened by this instance's API.")
        ordersRepriced = registry.counter(
            "order_ledger_orders_repriced", help: "New revisions made by this instance's API.")
        commandsForwarded = registry.counter(
            "order_ledger_commands_forwarded", help: "Commands of shops sent to the gateway.")
        duplicates = registry.counter("order_ledger_duplicate_facts", help: "Known facts that were delivered again.")
        longPolls = registry.gauge("order_ledger_long_polls", help: "Status requests that wait for a change.")
        batchTime = registry.histogram("order_ledger_batch_seconds", help: "Folding and committing what has gathered.")
        for disposition in JournalRow.Disposition.allCases { _ = facts(disposition) }
        for kind in EntryKind.allCases { _ = entries(kind) }
        for outcome in AttemptOutcome.allCases { _ = attempts(outcome) }
        for outcome in ContactOutcome.allCases { _ = contacts(outcome) }
        for outcome in WebhookOutcome.allCases { _ = webhooks(outcome) }
        for code in UnreadableRecord.Code.allCases { _ = deadLetters(code.rawValue) }
    }

    /// Creates the series of these merchants with zero, so that a rate over the first order is right.
    func begin(_ merchants: [MerchantID]) {
        for merchant in merchants { for step in OrderStep.allCases { _ = orders(merchant, step) } }
    }

    /// Records of the journal, by disposition.
    func facts(_ disposition: JournalRow.Disposition) -> Counter {
        registry.counter(
            "order_ledger_facts", help: "Records of the journal, by disposition.",
            labels: [("disposition", disposition.rawValue)])
    }

    /// Entries posted.
    func entries(_ kind: EntryKind) -> Counter {
        registry.counter("order_ledger_entries", help: "Journal entries posted.", labels: [("kind", kind.rawValue)])
    }

    /// What becomes of an attempt that token-ingest rejected.
    enum AttemptOutcome: String, CaseIterable {
        case recorded, ignored, unreadable
    }

    /// What becomes of the contact of a payment.
    enum ContactOutcome: String, CaseIterable {
        case stored, ignored, sealed, unreadable, erased
    }

    /// What becomes of a try to deliver a webhook; `parked` of the webhook; `unknownMerchant` when the merchant of an order was not in
    /// merchants.json, so that there is none.
    enum WebhookOutcome: String, CaseIterable {
        case delivered, failed, parked, unknownMerchant
    }

    /// A side of an account in a currency.
    struct Side: Hashable {
        let account: Account
        let currency: Currency
        let isDebit: Bool

        init(_ posting: Posting, _ currency: Currency) {
            (account, self.currency, isDebit) = (posting.account, currency, posting.amount > 0)
        }
    }

    /// What the entries moved, in minor units. Debits and credits of a currency are as much.
    func posted(_ side: Side) -> Counter {
        registry.counter(
            "order_ledger_posted_minor_units", help: "What entries moved, by account and side, in minor units.",
            labels: [
                ("account", side.account.rawValue), ("currency", side.currency.code),
                ("side", side.isDebit ? "debit" : "credit"),
            ])
    }

    /// Orders of a merchant that came to a step for the first time.
    func orders(_ merchant: MerchantID, _ step: OrderStep) -> Counter {
        registry.counter(
            "order_ledger_orders", help: "Orders by merchant and the steps that they have come to.",
            labels: [("merchant", merchant.description), ("step", step.rawValue)])
    }

    /// Facts of a partition that wait for a fact of another producer, in the whole database.
    func parked(_ partition: Int32) -> Gauge {
        registry.gauge(
            "order_ledger_parked_facts", help: "Facts that wait for a fact of another producer.",
            labels: [("partition", "\(partition)")])
    }

    /// Attempts that token-ingest rejected, by outcome.
    func attempts(_ outcome: AttemptOutcome) -> Counter {
        registry.counter(
            "order_ledger_rejected_attempts", help: "Attempts that token-ingest rejected, by outcome.",
            labels: [("outcome", outcome.rawValue)])
    }

    /// Contacts of payments, by what became of them.
    func contacts(_ outcome: ContactOutcome) -> Counter {
        registry.counter(
            "order_ledger_contacts", help: "Contacts of payments, by what became of them.",
            labels: [("outcome", outcome.rawValue)])
    }

    /// Webhooks, by what became of them; `failed` counts tries.
    func webhooks(_ outcome: WebhookOutcome) -> Counter {
        registry.counter(
            "order_ledger_webhooks", help: "Webhooks, by what became of them; failed counts tries.",
            labels: [("outcome", outcome.rawValue)])
    }

    /// How long the oldest waiting message of an endpoint has waited, in the whole database.
    func oldestWebhook(_ name: WebhookName) -> Gauge {
        registry.gauge(
            "order_ledger_oldest_waiting_webhook_age_seconds",
            help: "Age of the oldest message that a server has not taken.",
            labels: [("merchant", name.merchant.description), ("endpoint", name.endpoint)])
    }

    /// Settled days of an account that are not reconciled, in the whole database.
    func unreconciledDays(_ account: String) -> Gauge {
        registry.gauge(
            "order_ledger_unreconciled_days", help: "Settled days that are not reconciled.",
            labels: [("account", account)])
    }

    /// Differences of an account that nobody has explained, in the whole database.
    func openDifferences(_ account: String) -> Gauge {
        registry.gauge(
            "order_ledger_open_differences", help: "Differences to the acquirer's files that nobody has explained.",
            labels: [("account", account)])
    }

    /// How long the oldest open difference of an account is known, in the whole database.
    func oldestDifference(_ account: String) -> Gauge {
        registry.gauge(
            "order_ledger_oldest_open_difference_age_seconds",
            help: "Age of the oldest difference that nobody has explained.", labels: [("account", account)])
    }

    /// Faults sent to the dead letters.
    func deadLetters(_ code: String) -> Counter {
        registry.counter(
            "order_ledger_dead_letters", help: "Facts that could not be applied to the books.", labels: [("code", code)]
        )
    }
}
