import Charging
import Contracts
import OrchardServiceKit

/// Metrics, alarms and log lines of settlement files.
struct SettlementTelemetry: Sendable {
    /// What came of a day's file.
    enum Outcome: String, Sendable, CaseIterable {
        /// Read, checked and told to its last row.
        case recorded
        /// The same as the one that was recorded before.
        case known
        /// The acquirer has none (yet).
        case noFile
        /// Wrong in itself, and kept aside.
        case refused
        /// Another than the one that was recorded before, and kept aside.
        case contradicted
        /// No answer that can be believed.
        case failed
    }

    private let registry: MetricsRegistry
    private let logger: Logger

    init(_ registry: MetricsRegistry, logger: Logger) {
        self.registry = registry
        self.logger = logger
        for outcome in Outcome.allCases { _ = files(outcome) }
        for isMatched in [true, false] { _ = rows(isMatched: isMatched) }
    }

    func report(_ outcome: Outcome, _ reason: String, of day: SettlementDay) {
        files(outcome).increment()
        let level: LogLevel =
            switch outcome {
            case .recorded, .known: .info
            case .noFile: .debug
            case .failed: .warning
            case .refused, .contradicted: .error
            }
        let title =
            level == .error ? "ALARM settlement file \(outcome.rawValue)" : "settlement file \(outcome.rawValue)"
        logger.log(level, "\(title): \(reason)", metadata: Self.metadata(day))
    }

    /// Counts rows that were recorded. One that is of no operation of ours is money that nobody here knows of.
    func recorded(_ rows: [SettlementStore.Matched], of day: SettlementDay) {
        let unmatched = rows.filter { $0.operation == nil }
        self.rows(isMatched: true).increment(by: Int64(rows.count - unmatched.count))
        self.rows(isMatched: false).increment(by: Int64(unmatched.count))
        for row in unmatched {
            logger.error(
                "ALARM settlement row unmatched: line \(row.row.line), a \(row.row.kind.rawValue) of \(row.row.amount), "
                    + "names no operation of ours",
                Self.metadata(day).merging(["order_number": row.row.orderNumber, "serial": row.row.serial]) { $1 })
        }
    }

    /// How many days of an account lack a file that is overdue.
    func overdue(_ days: [SettlementDate], acquirer: String, account: String) {
        registry.gauge(
            "charge_gateway_overdue_settlement_files",
            help: "Days on which the gateway charged, whose file is overdue.",
            labels: [("acquirer", acquirer), ("account", account)]
        ).set(Double(days.count))
    }

    private static func metadata(_ day: SettlementDay) -> [String: String] {
        ["acquirer": day.acquirer, "account": day.account, "date": day.date.description]
    }

    private func files(_ outcome: Outcome) -> Counter {
        registry.counter(
            "charge_gateway_settlement_files", help: "Settlement files by what became of them.",
            labels: [("outcome", outcome.rawValue)])
    }

    private func rows(isMatched: Bool) -> Counter {
        registry.counter(
            "charge_gateway_settlement_rows", help: "Rows of settlement files that were recorded.",
            labels: [("operation", isMatched ? "known" : "unknown")])
    }
}
