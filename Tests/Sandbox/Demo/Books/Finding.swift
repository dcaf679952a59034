import Contracts

/// A difference from the expected state.
struct Finding: Hashable, Sendable, CustomStringConvertible {
    let order: OrderID?
    let scenario: Scenario?
    /// The source: device, acquirer, gateway, ledger, metrics, scan, audit …
    let book: String
    let text: String

    init(order: OrderID? = nil, scenario: Scenario? = nil, book: String, text: String) {
        self.order = order
        self.scenario = scenario
        self.book = book
        self.text = text
    }

    var description: String {
        var place = book
        if let order { place += ", order \(order)" }
        if let scenario { place += " (\(scenario.title))" }
        return "\(place): \(text)"
    }
}
