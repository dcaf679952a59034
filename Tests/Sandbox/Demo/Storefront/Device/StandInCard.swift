import OrchardJSON

/// A card of the phone that the stand-in plays. Each has a number of its own, by which the acquirer knows how it
/// behaves.
struct StandInCard: Sendable {
    /// What happens to a payment with the card.
    enum Behaviour: String, Sendable {
        case ok
        case declined
        /// The acquirer takes the money, and its answer and notification are lost: the gateway must ask.
        case answerLost
    }

    let id: String
    /// The device account number.
    let number: String
    let type: String
    let displayName: String
    let behaviour: Behaviour

    static let all = [
        StandInCard(
            id: "everyday", number: "6228480001234004289", type: "debit", displayName: "Orchard Bank Debit",
            behaviour: .ok),
        StandInCard(
            id: "travel", number: "6228480001234000089", type: "credit", displayName: "Orchard Bank Travel",
            behaviour: .ok),
        StandInCard(
            id: "empty", number: "6228480001234001780", type: "debit", displayName: "Orchard Bank Student",
            behaviour: .declined),
        StandInCard(
            id: "silent", number: "6228480001234006482", type: "credit", displayName: "Far Away Bank",
            behaviour: .answerLost),
    ]

    /// The last four digits of the account number.
    var suffix: String { String(number.suffix(4)) }

    /// What the page may know of it.
    var json: JSONValue {
        [
            "id": .string(id), "network": "chinaUnionPay", "suffix": .string(suffix), "type": .string(type),
            "displayName": .string("\(displayName) \(suffix)"), "behaviour": .string(behaviour.rawValue),
        ]
    }

    /// Tells the acquirer how it answers to sales with the card.
    func prepare(_ acquirer: AcquirerBook) async throws {
        let fault: String
        switch behaviour {
        case .ok: return
        // Insufficient funds.
        case .declined: fault = "declined_64"
        case .answerLost: fault = "silent_paid"
        }
        try await acquirer.control(
            "arm",
            ["fault": .string(fault), "card": .string(number), "txnType": "01", "count": .integer(.init(Int32.max))])
    }
}
