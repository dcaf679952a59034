import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("Sums of orders' digests")
struct OrderSumsTests {
    private static func states() throws -> [OrderState] {
        try (UInt8(1)...20).map { number in
            let history = History(Shop.orderID(number))
            return OrderState(id: history.order, offers: [try #require(history.offer(1, try Shop.totals()).offer)])
        }
    }

    private static func sums(_ states: [OrderState]) -> OrderSums {
        states.reduce(into: OrderSums(key: .fixed)) { $0.add($1, status: $1.status?.rawValue) }
    }

    @Test("do not depend on the sequence of the orders, nor on the earlier states of an order")
    func order() throws {
        let states = try Self.states()
        #expect(Self.sums(states) == Self.sums(states.reversed()))
        var stepped = OrderSums(key: .fixed)
        for state in states {
            stepped.replace(nil, by: OrderState(id: state.id))
            stepped.replace(OrderState(id: state.id), by: state)
        }
        #expect(stepped == Self.sums(states))
    }

    @Test("name the buckets of what was changed, removed or added, and no others")
    func differing() throws {
        let states = try Self.states()
        let bucket = OrderSums.bucket(of: states[4].id)
        let whole = Self.sums(states)
        #expect(whole.differing(from: Self.sums(states)).isEmpty)
        #expect(whole.differing(from: Self.sums(Array(states[..<4] + states[5...]))) == [bucket])
        #expect(whole.differing(from: Self.sums(states + [states[4]])) == [bucket])
        var changed = states
        changed[4].offers.removeAll()
        #expect(whole.differing(from: Self.sums(changed)) == [bucket])
        var status = OrderSums(key: .fixed)
        for state in states { status.add(state, status: state.id == states[4].id ? "paid" : state.status?.rawValue) }
        #expect(whole.differing(from: status) == [bucket])
    }
}

extension Fact {
    fileprivate var offer: OfferFact? {
        if case .orderOpened(let offer) = self { offer } else { nil }
    }
}
