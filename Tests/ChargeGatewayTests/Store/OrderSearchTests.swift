import Charging
import Contracts
import OrchardPostgres
import Testing

@testable import ChargeGateway

@Suite("The search by acquirers' keys", .timeLimit(.minutes(10)))
struct OrderSearchTests {
    @Test("answers each key by itself, whatever stands beside it, also one that is asked for twice")
    func many() async throws {
        try await TestGateway.with([], hasTimers: false) { gateway in
            let orders = (0..<3).map { _ in Shop.order() }
            try await gateway.take(try orders.map { .charge(try gateway.shop.charge($0)) })
            let store = OrderStore(policy: gateway.transactions.policy)
            let locked = try await gateway.transactions.withBatch { batch in
                let places = orders.map { OrderStore.Place(order: $0, partition: 0) }
                return try await store.lock(places, .wait, on: batch.connection)
            }
            let known = try orders.map { try #require(locked.orders[$0]?.machine.operations.first?.subject.reference) }
            let (later, foreign) = (
                AcquirerReference(
                    acquirer: known[0].acquirer, account: known[0].account, orderNumber: known[0].orderNumber,
                    time: known[0].time + .seconds(1)),
                AcquirerReference(
                    acquirer: known[1].acquirer, account: "777290058110049", orderNumber: known[1].orderNumber,
                    time: known[1].time)
            )
            let wanted = [known[2], later, known[0], foreign, known[1], known[0]]
            let found = try await gateway.transactions.read { try await store.find(wanted, on: $0) }
            #expect(
                found.map { $0.map(\.subject.order) }
                    == [[orders[2]], [], [orders[0]], [], [orders[1]], [orders[0]]])
        }
    }
}
