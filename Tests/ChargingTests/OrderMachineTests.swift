import Contracts
import Testing

@testable import Charging

@Suite("An order")
struct OrderMachineTests {
    let start = Sample.start
    let first = Sample.charge(1)
    let second = Sample.charge(2)
    let paid = OperationInput.queried(.answered(Sample.answer(.succeeded(remark: nil))))
    let declined = OperationInput.sent(
        attempt: 1, .answered(Sample.answer(.declined(.insufficientFunds), code: "64")))

    /// The order with its first charge sent, and then what is learnt of it.
    private func order(_ inputs: OperationInput...) -> OrderMachine {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        _ = order.receive(.charge(first), at: start)
        _ = order.receive(.operation(first.operation, .due(.ready)), at: start)
        for input in inputs { _ = order.receive(.operation(first.operation, input), at: start + .seconds(1)) }
        return order
    }

    @Test("is closed by the payment that pays it, whose fact tells that too")
    func closes() {
        var order = order()
        let actions = order.receive(.operation(first.operation, paid), at: start + .seconds(3))
        #expect(actions.facts == ["succeeded"])
        #expect(order.closure == OrderClosure(reason: .paid, payment: first.payment))
    }

    @Test("refuses a second token while the first may still pay, and after it has", arguments: Self.live)
    func singleFlight(inputs: [OperationInput], reason: RefusalReason) {
        var order = order()
        for input in inputs { _ = order.receive(.operation(first.operation, input), at: start + .seconds(1)) }
        #expect(order.receive(.charge(second), at: start + .seconds(2)).events == [.refused(reason)])
        #expect(order[second.operation]?.dueAt == nil)
    }

    @Test("refuses a token that charges another order, and stays free for another token")
    func tokenUsed() {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        #expect(order.receive(.charge(first, isTokenUsed: true), at: start).events == [.refused(.tokenReused)])
        #expect(order[first.operation]?.dueAt == nil)
        #expect(order.receive(.charge(second), at: start + .seconds(1)).facts == ["accepted"])
    }

    @Test("takes a second token after the first was declined, under another key")
    func secondToken() {
        var order = order(declined)
        #expect(order.receive(.charge(second), at: start + .seconds(2)).facts == ["accepted"])
        #expect(first.reference != second.reference)
    }

    @Test("knows a command again, whatever became of it", arguments: [true, false])
    func duplicate(isTokenUsed: Bool) {
        var order = order()
        let before = order
        #expect(order.receive(.charge(first, isTokenUsed: isTokenUsed), at: start + .seconds(9_999)).isEmpty)
        _ = order.receive(.charge(second), at: start + .seconds(1))
        _ = order.receive(.operation(first.operation, declined), at: start + .seconds(2))
        #expect(
            order.receive(.charge(second, isTokenUsed: isTokenUsed), at: start + .seconds(3)).isEmpty,
            "a refused charge stays refused when its command is delivered again")
        #expect(order != before)
    }

    @Test(
        "is cancelled only while nothing is under way",
        arguments: [
            ([], "rejected: chargeInProgress"),
            ([.sent(attempt: 1, .unknown(reason: "timeout"))], "rejected: chargeInProgress"),
            (
                [.notified(Sample.answer(.succeeded(remark: nil), echoed: EchoedFields(amount: 1)))],
                "rejected: chargeInProgress"
            ),
            ([.queried(.answered(Sample.answer(.succeeded(remark: nil))))], "rejected: orderPaid"),
            ([.queried(.answered(Sample.answer(.declined(.other))))], "closed: cancelled"),
        ] as [([OperationInput], String)])
    func cancel(inputs: [OperationInput], answer: String) {
        var order = order()
        for input in inputs { _ = order.receive(.operation(first.operation, input), at: start + .seconds(1)) }
        #expect(order.receive(.close(Sample.cancel), at: start + .seconds(2)).facts == [answer])
        #expect(order.receive(.close(Sample.cancel), at: start + .seconds(3)).isEmpty, "each command has one answer")
    }

    @Test("that was cancelled refuses every charge and another cancel")
    func cancelled() {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        #expect(order.receive(.close(Sample.cancel), at: start).facts == ["closed: cancelled"])
        #expect(order.receive(.charge(first), at: start).events == [.refused(.orderClosed)])
        let other = CloseRequested(
            command: CommandID(hash: Array(repeating: 9, count: 32)), order: Sample.order, merchant: Sample.merchant,
            partitions: 12)
        #expect(order.receive(.close(other), at: start).facts == ["rejected: orderClosed"])
    }

    @Test("expires at once while nothing is in progress, and refuses every charge then")
    func expires() {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        #expect(order.receive(.close(Sample.expire), at: start).facts == ["closed: expired"])
        #expect(order.receive(.close(Sample.expire), at: start).isEmpty)
        #expect(order.receive(.charge(first), at: start).events == [.refused(.orderClosed)])
        #expect(order.receive(.close(Sample.cancel), at: start).facts == ["rejected: orderClosed"])
    }

    @Test(
        "that expires during a charge waits for its end, and closes only if that leaves it unpaid",
        arguments: [
            ([.sent(attempt: 1, .unknown(reason: "timeout"))], nil, []),
            (
                [
                    .sent(attempt: 1, .unknown(reason: "timeout")),
                    .queried(.answered(Sample.answer(.declined(.other)))),
                ], .expired, ["declined", "closed: expired"]
            ),
            ([.queried(.answered(Sample.answer(.succeeded(remark: nil))))], .paid, ["succeeded"]),
        ] as [([OperationInput], OrderClosure.Reason?, [String])])
    func expiresLater(inputs: [OperationInput], reason: OrderClosure.Reason?, last: [String]) {
        var order = order()
        #expect(order.receive(.close(Sample.expire), at: start).isEmpty, "nobody waits for an answer")
        var facts: [String] = []
        for input in inputs {
            facts = order.receive(.operation(first.operation, input), at: start + .seconds(1)).facts
        }
        #expect(order.closure?.reason == reason)
        #expect(facts.suffix(last.count) == last[...])
    }

    @Test("that is paid or cancelled does not expire")
    func endsBefore() {
        for input in [paid] {
            var order = order(input)
            #expect(order.receive(.close(Sample.expire), at: start + .seconds(2)).isEmpty)
            #expect(order.closure?.reason == .paid)
        }
        var cancelled = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        _ = cancelled.receive(.close(Sample.cancel), at: start)
        #expect(cancelled.receive(.close(Sample.expire), at: start).isEmpty)
        #expect(cancelled.closure?.reason == .cancelled)
    }

    @Test("that was cancelled meanwhile owes back what a declined payment turns out to have paid")
    func lateSuccess() {
        var order = order(declined)
        _ = order.receive(.close(Sample.cancel), at: start + .seconds(2))
        let actions = order.receive(.operation(first.operation, paid), at: start + .seconds(3))
        #expect(actions.facts == ["lateSuccess", "refund accepted"] && actions.alarms == [.lateSuccess])
        #expect(order.closure?.reason == .cancelled)
    }

    @Test("wakes for the operation that is due first")
    func nextDue() {
        var order = order(declined)
        #expect(order.nextDue == nil)
        _ = order.receive(.charge(second), at: start + .seconds(2))
        #expect(order.nextDue?.operation.charge == second)
        #expect(order.nextDue?.time == start + .seconds(2))
    }

    @Test("ignores an operation that is not its own")
    func foreign() {
        var order = order()
        #expect(order.receive(.operation(second.operation, paid), at: start).isEmpty)
    }

    static let live: [([OperationInput], RefusalReason)] = [
        ([], .orderBusy),
        ([.sent(attempt: 1, .unknown(reason: "timeout"))], .orderBusy),
        ([.sent(attempt: 1, .notSent(reason: "refused"))], .orderBusy),
        ([.sent(attempt: 1, .answered(Sample.answer(.accepted)))], .orderBusy),
        ([.notified(Sample.answer(.succeeded(remark: nil), echoed: EchoedFields(currency: "840")))], .orderBusy),
        ([.queried(.answered(Sample.answer(.succeeded(remark: nil))))], .orderPaid),
    ]
}
