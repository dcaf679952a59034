import Foundation

/// The progress line of a load.
struct LoadProgress: Sendable {
    /// How many customers come, if that is known.
    let payments: Int?
    /// How long customers come, if that is limited.
    let time: Duration?
    /// Customers a second; nil at full speed.
    let rate: Double?

    func line(_ result: LoadResult, after elapsed: Duration) -> String {
        let seconds = max(elapsed / .seconds(1), 0.001)
        let ended = payments.map { "\(result.ended) of \($0)" } ?? "\(result.ended)"
        let left = remaining(result.ended, after: elapsed).map { "\(Int($0.rounded(.up))) s left" } ?? "until Ctrl-C"
        return "\(ended) payments, \(String(format: "%.1f", Double(result.ended) / seconds))/s, "
            + "\(result.underWay) in progress, \(result.withoutOutcome) without an outcome, \(left)"
    }

    /// Seconds until the last customer comes, or at full speed ends; nil when nothing ends the load, or no customer has
    /// ended yet.
    func remaining(_ ended: Int, after elapsed: Duration) -> Double? {
        let seconds = elapsed / .seconds(1)
        let byTime = time.map { $0 / .seconds(1) - seconds }
        let byCount = payments.flatMap { payments -> Double? in
            if let rate { return Double(payments) / rate - seconds }
            return ended > 0 ? Double(payments - ended) * seconds / Double(ended) : nil
        }
        return [byTime, byCount].compactMap(\.self).min().map { max($0, 0) }
    }
}
