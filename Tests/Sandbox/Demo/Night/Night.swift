import Contracts
import Foundation
import SandboxProcesses

/// The night after the demo's day. The gateways fetch the acquirer's files by their own timers, the ledgers book and
/// reconcile them, and the bank's statement is received as its merchant does it.
struct Night: Sendable {
    let environment: DemoEnvironment
    let days: AcquirerDays
    let acquirer: AcquirerBook
    let screen: Screen
    /// How long the files may take to be fetched, and pay-outs to be booked.
    let timeout: Duration

    /// What came of it.
    struct Outcome: Sendable {
        var days: [SettledDay] = []
        var findings: [Finding] = []
    }

    /// Ends the acquirer's second day and waits until nothing is left to do.
    func pass() async throws -> Outcome {
        try await acquirer.keepOpen(nil)
        var outcome = Outcome()
        outcome.days = try await show { !$0.isEmpty && $0.allSatisfy { $0.status == "reconciled" } }
        outcome.findings = findings(outcome.days)
        guard outcome.findings.isEmpty else { return outcome }
        screen.say("the acquirer's files are fetched and reconciled")
        try await receive(outcome.days)
        let count = outcome.days.count
        outcome.days = try await show { $0.count == count && $0.allSatisfy { $0.outstanding == "0.00" } }
        if outcome.days.count != count {
            outcome.findings.append(Finding(book: "bank", text: "\(outcome.days.count) of \(count) days are shown"))
        }
        for day in outcome.days where day.outstanding != "0.00" {
            outcome.findings.append(
                Finding(book: "bank", text: "\(day.date) of \(day.account): \(day.outstanding) is outstanding"))
        }
        return outcome
    }

    private func findings(_ settled: [SettledDay]) -> [Finding] {
        let accounts = Set(environment.workspace.merchants.map(\.account))
        let missing = accounts.subtracting(settled.filter { $0.date == days.trading }.map(\.account))
        return missing.sorted().map { Finding(book: "settlement", text: "\(days.trading) of \($0) is not known") }
            + settled.filter { $0.status != "reconciled" }.map { Finding(book: "settlement", text: $0.text) }
    }

    /// Reconciles both days again and again, until that is as it must be or the time is over.
    private func show(until isRight: ([SettledDay]) -> Bool) async throws -> [SettledDay] {
        let end = ContinuousClock.now + timeout
        while true {
            var settled: [SettledDay] = []
            for date in days.all {
                let run = try await ledger(["settle", "show", "\(date)", "--json"])
                settled += try run.output.split(separator: "\n").filter { $0.hasPrefix("{") }
                    .map { try SettledDay(report: Array($0.utf8)) }
            }
            if isRight(settled) || ContinuousClock.now > end { return settled }
            try await Task.sleep(for: .milliseconds(300))
        }
    }

    /// The bank pays what the acquirer owes for each day; the shop takes the bank's statement.
    private func receive(_ settled: [SettledDay]) async throws {
        let payOuts = settled.filter { $0.owed != "0.00" }
        let sum = payOuts.reduce(0) { $0 + $1.owedMinorUnits }
        let lines =
            ["date,account,currency,amount,reference"]
            + payOuts.enumerated().map { "\($1.date),\($1.account),CNY,\($1.owed),DEMO-\($0 + 1)" }
            + ["total,,CNY,\(Money(minorUnits: sum, currency: .cny).decimal),\(payOuts.count)"]
        let file = environment.workspace.folder.appending(path: "pay-outs.csv")
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        let run = try await ledger(["settle", "receive", "--file", file.path])
        guard run.status == 0 else { throw DemoError("order-ledger settle receive failed:\n\(run.output)") }
    }

    private func ledger(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.demo(
            environment.programs.appending(path: "order-ledger"), arguments, environment: environment.ledgerEnvironment)
    }
}
