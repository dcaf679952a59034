import Contracts

/// A day of two shops, made from a seed: the same seed gives the same day.
struct DemoScript: Sendable {
    let seed: UInt64
    let orders: [ScriptedOrder]

    /// - Parameter size: at least 200, so that the day contains enough of everything.
    init(seed: UInt64, size: Int) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let scenarios = Self.scenarios(size).shuffled(using: &random)
        orders = scenarios.enumerated().map { index, scenario in
            Self.order(index + 1, scenario, &random)
        }
    }

    /// Each scenario by its share; the rest are plain charges.
    private static func scenarios(_ size: Int) -> [Scenario] {
        var list = Scenario.allCases.flatMap { scenario in
            [Scenario](repeating: scenario, count: max(1, scenario.share * size / 100))
        }
        if list.count > size { list.removeFirst(list.count - size) }
        list += [Scenario](repeating: .charged, count: size - list.count)
        return list
    }

    private static func order(
        _ number: Int, _ scenario: Scenario, _ random: inout SeededGenerator
    ) -> ScriptedOrder {
        // Amounts that end in 700 to 999 make the acquirer misbehave: only scenarios with a fault get one.
        let ending = scenario.fault?.digits ?? Int64.random(in: 0..<700, using: &random)
        let total = Int64.random(in: 3...90, using: &random) * 1_000 + ending
        let shipping: Int64 = 600
        let tax = Int64.random(in: 0...200, using: &random)
        let discount = Bool.random(using: &random) ? Int64.random(in: 1...500, using: &random) : 0
        let goods = total - shipping - tax + discount
        func offer(shipping: Int64, coupon: Int64 = 0, surcharge: Int64 = 0) -> OfferTotals {
            let totals = OfferTotals(
                currency: .cny, subtotal: goods + surcharge, discount: discount + coupon, shipping: shipping, tax: tax)
            guard let totals else { preconditionFailure("the script's amounts add up") }
            return totals
        }
        let changed: OfferTotals? =
            switch scenario {
            case .repriced, .oldTicket, .secondTry, .address: offer(shipping: expressShipping(for: total))
            case .coupon: offer(shipping: shipping, coupon: couponAmount(for: total))
            case .cardType: offer(shipping: shipping, surcharge: expressShipping(for: total) - shipping)
            default: nil
            }
        return ScriptedOrder(
            number: number, scenario: scenario, merchant: Int.random(in: 0...1, using: &random),
            totals: offer(shipping: shipping),
            changedTotals: changed,
            usesRSA: Bool.random(using: &random))
    }

    /// A discount after which the total ends in digits for which the acquirer behaves normally.
    private static func couponAmount(for total: Int64) -> Int64 { 1_000 + total % 1_000 }

    /// A dearer price that makes the total end in digits for which the acquirer behaves normally.
    private static func expressShipping(for total: Int64) -> Int64 {
        600 + (1_000 - total % 1_000) + 250
    }
}
