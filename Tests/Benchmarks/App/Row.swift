import Foundation

/// A figure, and what it is compared with.
struct Row: Sendable, CustomStringConvertible {
    let name: String
    let value: Double
    let unit: String
    /// What is measured beside it in the same run.
    var yardstick: (name: String, value: Double)?
    /// The least value, in the unit or as a share of the yardstick.
    var least: Least?
    var remark = ""

    enum Least: Sendable {
        case value(Double)
        case share(Double)
    }

    var isReached: Bool {
        switch least {
        case nil: true
        case .value(let least): value >= least
        case .share(let share): yardstick.map { value >= share * $0.value } ?? true
        }
    }

    var description: String {
        var words = "\(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(Self.words(value)) \(unit)"
        if let yardstick {
            words += "; \(Self.words(value / yardstick.value)) of \(yardstick.name) (\(Self.words(yardstick.value)))"
        }
        switch least {
        case nil: break
        case .value(let least): words += "; at least \(Self.words(least)): \(isReached ? "reached" : "MISSED")"
        case .share(let share): words += "; at least \(Self.words(share)): \(isReached ? "reached" : "MISSED")"
        }
        return remark.isEmpty ? words : "\(words) (\(remark))"
    }

    private static func words(_ value: Double) -> String {
        String(format: value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value)
    }
}
