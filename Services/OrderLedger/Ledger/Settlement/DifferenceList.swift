import Contracts

/// The differences of a day: the first ``listed`` of them, and the number of all.
public struct DifferenceList: Hashable, Sendable {
    /// A report lists at most this many.
    public static let listed = 1_000

    public private(set) var first: [SettlementDifference] = []
    /// How many are not explained.
    public private(set) var open: Int64 = 0
    public private(set) var explained: Int64 = 0
    /// Since when the oldest open one is known.
    public private(set) var oldest: Timestamp?
    private let explanations: [DifferenceID: [DifferenceExplained]]

    init(explanations: [DifferenceExplained]) {
        self.explanations = Dictionary(grouping: explanations, by: \.difference)
    }

    /// Adds a difference. An explanation ends it that is about its kind and its amount.
    mutating func add(_ difference: SettlementDifference) {
        var difference = difference
        difference.explanation = explanations[difference.id]?.first {
            $0.kind == difference.kind && $0.amount == difference.amount
        }
        if difference.explanation == nil {
            open += 1
            oldest = min(oldest ?? difference.since, difference.since)
        } else {
            explained += 1
        }
        if first.count < Self.listed { first.append(difference) }
    }
}
