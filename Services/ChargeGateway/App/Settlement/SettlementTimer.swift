import Acquirers
import Charging
import Contracts
import OrchardPostgres
import OrchardServiceKit
import Outbox

/// Fetches the files of closed days, and catches up with those that were missed.
struct SettlementTimer: Service {
    let fetcher: SettlementFetcher
    let sweep: AbsenceSweep
    let lock: SettlementLock
    let merchants: @Sendable () -> GatewayMerchants
    let configuration: SettlementConfiguration
    let readiness: Readiness
    let logger: Logger

    /// As `/readyz` names it.
    static let component = "settlement files"

    func run() async throws {
        await repeatUntilGracefulShutdown(every: configuration.interval) {
            await round()
        }
    }

    /// Looks at every account once. A failure of one holds no other.
    func round() async {
        var problems: [String] = []
        var unasked: [String] = []
        for account in SettlementAccount.all(merchants()) {
            do {
                _ = try await lock.hold(acquirer: account.acquirer, account: account.account) {
                    try await round(of: account)
                }
                problems += try await overdue(account)
            } catch {
                guard !Task.isCancelled else { return }
                unasked.append("account \(account.account) at \(account.acquirer)")
                logger.warning(
                    "settlement files are looked at again later: \(error)",
                    ["acquirer": account.acquirer, "account": account.account])
            }
        }
        report(problems, unasked)
    }

    /// An account that could not be looked at is neither overdue nor in order: what was known before stays.
    private func report(_ problems: [String], _ unasked: [String]) {
        let before = readiness.report.components[Self.component]
        var reasons = problems.prefix(1) + (problems.count > 1 ? ["\(problems.count - 1) more"] : [])
        if let account = unasked.first {
            let more = unasked.count > 1 ? " and \(unasked.count - 1) more" : ""
            reasons.append(
                "the files of \(account)\(more) could not be looked at, see the log; the next round tries again")
        }
        if !reasons.isEmpty {
            let isReady = problems.isEmpty && before?.isReady != false
            readiness.set(Self.component, ready: isReady, reason: reasons.joined(separator: "; "))
        } else if before != nil {
            readiness.set(Self.component, ready: true, reason: "none is overdue")
        }
    }

    /// - Throws: the first failure, when all was tried that it does not stop: rows that cannot be read or stepped hold up
    ///   their day, a failure of the database also the days after it, and none the search for what no file has.
    private func round(of account: SettlementAccount) async throws {
        var failure: (any Error)?
        for date in try await plan(account).toFetch {
            do {
                if try await fetcher.resume(account, date) == nil { _ = try await fetcher.fetch(account, date) }
            } catch {
                try Task.checkCancellation()
                failure = failure ?? error
                guard error.isDamage || error is InboxError else { break }
            }
        }
        do { try await sweep.run(account) } catch { failure = failure ?? error }
        if let failure { throw failure }
    }

    private func overdue(_ account: SettlementAccount) async throws -> [String] {
        let days = try await plan(account).overdue
        fetcher.telemetry.overdue(days, acquirer: account.acquirer, account: account.account)
        guard let first = days.first else { return [] }
        return [
            "\(days.count == 1 ? "the file of \(first)" : "\(days.count) files, the first of \(first),") of account "
                + "\(account.account) at \(account.acquirer) is missing: see `charge-gateway settlement list`, fetch it with "
                + "`charge-gateway settlement fetch --date \(first)`, or ask the acquirer"
        ]
    }

    private func plan(_ account: SettlementAccount) async throws -> SettlementPlan {
        let time = try await fetcher.now()
        let (calendar, policy) = (account.source.settlementCalendar, configuration.policy)
        let days = SettlementPlan.days(at: time, in: calendar, policy)
        let store = fetcher.recorder.store
        let (recorded, expected) = try await fetcher.recorder.pool.withConnection { connection in
            let recorded = try await store.recordedDays(
                acquirer: account.acquirer, account: account.account, from: days.first ?? calendar.day(of: time),
                on: connection)
            var expected: Set<SettlementDate> = []
            for day in days where !recorded.contains(day) {
                let isExpected = try await store.hasOperations(
                    acquirer: account.acquirer, account: account.account,
                    from: calendar.end(of: day.adding(days: -1)), to: calendar.end(of: day), on: connection)
                if isExpected { expected.insert(day) }
            }
            return (recorded, expected)
        }
        return SettlementPlan(at: time, in: calendar, recorded: recorded, expected: expected, policy)
    }
}
