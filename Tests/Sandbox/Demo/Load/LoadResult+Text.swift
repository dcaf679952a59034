import Foundation

extension LoadResult {
    /// The final table of `sandbox load`.
    ///
    /// - Parameter isInterrupted: whether Ctrl-C ended it, with payments still in progress.
    func text(isInterrupted: Bool = false) -> String {
        var lines = [summary]
        var table = Table(numbers: [1, 2, 3, 4, 5])
        table.add("", "count", "p50", "p95", "p99", "max")
        for step in Step.allCases {
            let latencies = latencies(of: step)
            let cells = [0.5, 0.95, 0.99, 1].map { latencies.count == 0 ? "-" : latencies.percentile($0).text }
            table.add(step.rawValue, "\(latencies.count)", cells[0], cells[1], cells[2], cells[3])
        }
        lines += table.lines
        var counts = Table(numbers: [0])
        for (outcome, count) in Self.sorted(outcomes) { counts.add("\(count)", outcome) }
        for (step, count) in Self.sorted(missing) { counts.add("\(count)", "without an outcome: \(step)") }
        for (reason, count) in Self.sorted(repeats) { counts.add("\(count)", "requests repeated after \(reason)") }
        if skipped > 0 { counts.add("\(skipped)", "customers not played: too many were in progress") }
        lines += counts.lines
        lines += examples.map { "  - \($0)" }
        let delay = latenciesOfDelays.percentile(0.99)
        if delay > .milliseconds(20) {
            lines.append("This program itself began late (p99 \(delay.text)): the order's time holds that.")
        }
        lines.append("RESULT   \(isInterrupted ? "interrupted with \(underWay) payments in progress" : verdict)")
        return lines.joined(separator: "\n")
    }

    private var summary: String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        return "\(ended) payments in \(String(format: "%.1f", seconds)) s, "
            + String(
                format: "%.1f paid a second; this program took %.2f ms of CPU a payment", Double(paid) / seconds,
                cpuTime / .milliseconds(1) / Double(max(ended, 1)))
    }

    private var verdict: String {
        guard !isComplete else { return "every payment has an outcome" }
        return "\(withoutOutcome) payments have no outcome, \(skipped) customers were not played"
    }

    private static func sorted(_ counts: [String: Int]) -> [(String, Int)] {
        counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }
}
