import Foundation

/// A figure, and its comparison.
struct Row: Sendable, CustomStringConvertible {
    let name: String
    let value: Double
    let unit: String
    /// The yardstick: another measurement of the same run.
    var yardstick: (name: String, value: Double)?
    /// The required value.
    var bound: Bound?
    /// The value that the work aims at; a row above its bound passes without it.
    var aim: Bound?
    /// The share of the yardstick below which `--check` fails; far below the usual share.
    var alarm: Double?
    /// Whether no machine changes the value, so that `--check` compares it with its bound.
    var isFixed = false
    var remark = ""

    enum Bound: Sendable {
        /// A value in the row's unit.
        case atLeast(Double)
        /// A time or a size in the row's unit.
        case atMost(Double)
        /// A share of the yardstick.
        case atLeastShare(Double)

        var limit: Double {
            switch self {
            case .atLeast(let limit), .atMost(let limit), .atLeastShare(let limit): limit
            }
        }
    }

    var isReached: Bool { reaches(bound) }

    private func reaches(_ bound: Bound?) -> Bool {
        switch bound {
        case nil: true
        case .atLeast(let least): value >= least
        case .atMost(let most): value <= most
        case .atLeastShare(let share): yardstick.map { value >= share * $0.value } ?? true
        }
    }

    var description: String {
        var text = "\(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(Self.text(value)) \(unit)"
        if let yardstick {
            text += "; \(Self.text(value / yardstick.value)) of \(yardstick.name) (\(Self.text(yardstick.value)))"
        }
        switch bound {
        case nil: break
        case .atLeast(let least), .atLeastShare(let least): text += "; at least \(Self.text(least)): \(outcome)"
        case .atMost(let most): text += "; at most \(Self.text(most)): \(outcome)"
        }
        if let aim { text += "; aim \(Self.text(aim.limit)): \(reaches(aim) ? "reached" : "not reached")" }
        return remark.isEmpty ? text : "\(text) (\(remark))"
    }

    /// Whether `--check` passes; other rows that depend on the machine alone always pass. In CI a yardstick may not be missing.
    var isWithinAlarm: Bool {
        guard let alarm else { return !isFixed || isReached }
        guard let yardstick else { return ProcessInfo.processInfo.environment["CI"] != "true" }
        return value >= alarm * yardstick.value
    }

    private var outcome: String { bound == nil ? "" : isReached ? "reached" : "MISSED" }

    /// The same with the aim, for the table.
    var result: String {
        guard isReached, let aim, !reaches(aim) else { return aim == nil || !isReached ? outcome : "aim reached" }
        return bound == nil ? "below the aim" : "reached, not the aim"
    }

    static func text(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }
}
