import Contracts
import KeyFiles
import Ledger
import OrchardPostgres
import OrchardServiceKit

/// Reconciles the days of the last weeks again and again, so that reports and metrics are fresh: days that are not
/// reconciled every few minutes, the others once a day.
///
/// Every instance does it; a day that another one has just reconciled is left out.
struct SettlementMonitor: Service {
    let database: PostgresPool
    let accounts: @Sendable () -> SettlementAccounts
    let metrics: LedgerMetrics
    let logger: Logger
    var interval = Duration.seconds(60)

    /// How many days back days are looked at.
    static let days = 35
    /// How long a report is fresh: of a day that is not reconciled, and of one that is.
    static let (openLife, reconciledLife) = (Duration.seconds(300), Duration.seconds(86_400))

    func run() async throws {
        await repeatUntilGracefulShutdown(every: interval, from: [SettlementDay: Timestamp]()) { checked in
            do { try await check(&checked, at: .now) } catch {
                guard !Task.isCancelled else { return }
                logger.warning("settled days cannot be reconciled, will try again: \(error)")
            }
        }
    }

    /// Reconciles every day that is due, and counts. A day that cannot be reconciled keeps no other from it.
    ///
    /// - Parameter checked: when this instance looked at a day; a day without anything has no report.
    func check(_ checked: inout [SettlementDay: Timestamp], at now: Timestamp) async throws {
        let today = SettlementCalendar.unionPay.day(of: now)
        var failure: (any Error)?
        for account in accounts().all {
            for back in (1...Self.days).reversed() {
                let day = account.day(today.adding(days: -back))
                if let time = checked[day], now < time + Self.openLife { continue }
                do {
                    try await database.withConnection { connection in
                        try await Self.refresh(day, at: now, on: connection)
                    }
                    checked[day] = now
                } catch {
                    try Task.checkCancellation()
                    failure = failure ?? error
                }
            }
        }
        checked = checked.filter { $0.key.date >= today.adding(days: -Self.days) }
        try await count(at: now)
        if let failure { throw failure }
    }

    private static func refresh(
        _ day: SettlementDay, at now: Timestamp, on connection: PostgresConnection
    ) async throws {
        let known = try await SettlementDays(connection: connection).item(day)
        let life = known?.status == .reconciled ? reconciledLife : openLife
        if let known, now < known.checkedAt + life { return }
        let reconciler = SettlementReconciler(connection: connection)
        // A day that is open stays open for weeks, and nothing new comes most of the time.
        if known?.status == .reconciled {
            _ = try await reconciler.reconcile(day, at: now)
        } else {
            _ = try await reconciler.refreshed(day, at: now)
        }
    }

    /// Sets the gauges of all accounts.
    func count(at now: Timestamp) async throws {
        let open = try await database.withConnection { try await SettlementDays(connection: $0).open() }
        for account in Set(accounts().all.map(\.account)) {
            let counts = open[account] ?? SettlementDays.OpenDays()
            let age = counts.oldest.map { now.seconds - $0.seconds } ?? 0
            metrics.unreconciledDays(account).set(Double(counts.days))
            metrics.openDifferences(account).set(Double(counts.differences))
            metrics.oldestDifference(account).set(Double(max(0, age)))
        }
    }
}
