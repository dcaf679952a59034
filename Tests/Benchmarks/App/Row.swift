import Foundation

/// A figure, and what it is compared with.
struct Row: Sendable, CustomStringConvertible {
    let name: String
    let value: Double
    let unit: String
    /// What is measured beside it in the same run.
    var yardstick: (name: String, value: Double)?
    /// What must be reached.
    var bound: Bound?
    /// The share of the yardstick below which a factor was lost: what `--check` looks at, far below what is usual.
    var alarm: Double?
    var remark = ""

    enum Bound: Sendable {
        /// In the row's unit.
        case atLeast(Double)
        /// In the row's unit: a time.
        case atMost(Double)
        /// Of the yardstick.
        case atLeastShare(Double)
    }

    var isReached: Bool {
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
        return remark.isEmpty ? text : "\(text) (\(remark))"
    }

    /// Whether `--check` passes; rows that depend on the machine alone always do.
    var isWithinAlarm: Bool {
        guard let alarm, let yardstick else { return true }
        return value >= alarm * yardstick.value
    }

    var outcome: String { bound == nil ? "" : isReached ? "reached" : "MISSED" }

    static func text(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }
}
