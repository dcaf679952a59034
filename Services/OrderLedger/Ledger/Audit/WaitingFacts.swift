import Contracts

/// The facts that wait for others while a partition is folded again: their count, and the first of them.
public struct WaitingFacts: Hashable, Sendable {
    /// How long a fact may wait for another producer's fact. Both are read from one partition within seconds; a fact
    /// that is missing after ten minutes does not come by itself.
    public static let longestWait = Duration.seconds(600)

    private struct Fact: Hashable {
        let type: String
        let order: OrderID
        let time: Timestamp
        let isAboutMoney: Bool
    }

    /// How many facts are kept with their positions; more are only counted.
    private static let kept = 10_000
    private var facts: [JournalPosition: Fact] = [:]
    /// The number of all waiting facts.
    public private(set) var count: Int64 = 0

    public init() {}

    /// Replaces the waiting facts of an order's old state by those of its new state.
    mutating func replace(_ old: OrderState?, by new: OrderState?) {
        guard old?.parked != new?.parked else { return }
        for event in old?.parked ?? [] {
            count -= 1
            facts[event.position] = nil
        }
        for event in new?.parked ?? [] {
            count += 1
            guard facts.count < Self.kept else { continue }
            facts[event.position] = Fact(
                type: event.event.type, order: event.fact.order, time: event.event.time,
                isAboutMoney: event.fact.isAboutMoney)
        }
    }

    /// Facts that may still be applied by themselves, or that move no money.
    public func findings(at now: Timestamp) -> FindingList { list(at: now) { !$0 } }

    /// Facts about money that have waited longer than ``longestWait`` by their own time.
    public func overdue(at now: Timestamp) -> FindingList { list(at: now) { $0 } }

    private func list(at now: Timestamp, _ isWanted: (Bool) -> Bool) -> FindingList {
        var list = FindingList()
        for (position, fact) in facts.sorted(by: { $0.key < $1.key }) {
            let isOverdue = fact.isAboutMoney && fact.time + Self.longestWait < now
            guard isWanted(isOverdue) else { continue }
            list.append(.init("\(fact.type) of order \(fact.order) has waited since \(fact.time)", at: position))
        }
        return list
    }
}
