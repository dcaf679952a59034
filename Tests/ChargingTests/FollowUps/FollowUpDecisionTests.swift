import Contracts
import Testing

@testable import Charging

@Suite("A command to capture, void or refund")
struct FollowUpDecisionTests {
    private static let whole = Sample.amount.minorUnits

    @Test("that can be done is accepted, sent and told; a second copy of it changes nothing")
    func accepted() {
        for (kind, first) in [(FollowUpKind.capture, OperationKind.authorisation), (.void, .sale), (.refund, .sale)] {
            var story = PaymentStory(first)
            let command = story.ask(kind)
            #expect(story.actions.facts == ["\(kind.rawValue) accepted"])
            let accepted = story.order
            story.take(.followUp(command))
            #expect(story.actions.isEmpty && story.order == accepted)
            story.fire(at: story.time)
            let sent = story.actions.sentFollowUps
            #expect(sent.count == 1 && sent.first?.originalSerial == "1")
            #expect(sent.first?.original == Sample.reference(PaymentStory.payment))
            story.sent(.succeeded(remark: nil))
            #expect(story.facts.last == "\(kind.rawValue) succeeded" && story.phase == .succeeded)
            story.take(.followUp(command))
            #expect(story.actions.isEmpty)
        }
    }

    @Test("gives nothing back when the amounts that were given back are damaged")
    func damagedAmounts() throws {
        var story = PaymentStory()
        story.ask(.refund, 1)
        let asked = try #require(story.last.subject.followUp)
        let refunds = [Int64.max, 5, .min].map { amount in
            OperationMachine(
                .followUp(
                    FollowUp(
                        order: asked.order, payment: asked.payment, merchant: asked.merchant, kind: .refund,
                        cause: asked.cause, causedAt: asked.causedAt, amount: Money(minorUnits: amount, currency: .cny),
                        original: asked.original, originalSerial: nil, attempt: 0)),
                state: OperationState(phase: .succeeded), policy: ChargingPolicy())
        }
        let balance = try #require(PaymentBalance(story.order.operations[0], followUps: refunds))
        #expect(balance.refunded == .max && balance.refundable == 0)
    }

    // Failure scenario 39.
    @Test(
        "for more than the acquirer lets one capture take is rejected; to the fen",
        arguments: [
            (10_000, 11_500, true), (10_000, 11_501, false), (1, 1, true), (1, 2, false), (3, 3, true), (3, 4, false),
        ]
    )
    func captureLimit(hold: Int64, amount: Int64, isTaken: Bool) {
        var order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
        let charge = Sample.charge(kind: .authorisation, amount: Money(minorUnits: hold, currency: .cny))
        _ = order.receive(.charge(charge), at: Sample.start)
        _ = order.receive(.operation(charge.operation, .due(.ready)), at: Sample.start)
        _ = order.receive(
            .operation(
                charge.operation,
                .sent(attempt: 1, .answered(PaymentStory.answer(.succeeded(remark: nil), .charge(charge))))),
            at: Sample.start)
        var story = PaymentStory()
        story.order = order
        story.ask(.capture, amount)
        #expect(story.actions.facts == [isTaken ? "capture accepted" : "rejected: amountAboveHold"])
    }

    @Test("is rejected with the reason")
    func rejections() throws {
        let yen = try #require(Currency("JPY"))
        func check(
            _ reason: String, _ first: OperationKind = .sale, _ before: (inout PaymentStory) -> Void = { _ in },
            _ ask: (inout PaymentStory) -> Void, line: Int = #line
        ) {
            var story = PaymentStory(first)
            before(&story)
            let known = story.order.followUps.count
            ask(&story)
            #expect(story.actions.facts == ["rejected: \(reason)"], "line \(line)")
            #expect(story.order.followUps.count == known, "line \(line)")
            #expect(story.actions.sentFollowUps.isEmpty, "line \(line)")
        }
        let other = MerchantID(hash: [UInt8](repeating: 9, count: 32))
        let stranger = PaymentID(hash: [UInt8](repeating: 9, count: 32))
        let part = Self.whole / 2
        check("paymentNotCharged") { $0.ask(.refund, payment: stranger) }
        check("paymentNotCharged") { $0.ask(.refund, merchant: other) }
        check("paymentNotCharged", .authorisation) { $0.ask(.refund) }
        check("currencyDiffers") { $0.ask(.refund, currency: yen) }
        check("currencyDiffers", .authorisation) { $0.ask(.capture, currency: yen) }
        check("noRoute") { $0.ask(.refund, hasRoute: false) }
        check("notCapturable") { $0.ask(.capture) }
        check("notCapturable", .authorisation, { $0.done(.capture, part) }) { $0.ask(.capture, part) }
        check("notCapturable", .authorisation, { $0.done(.void) }) { $0.ask(.capture) }
        check("nothingLeft", .authorisation, { $0.done(.void) }) { $0.ask(.void) }
        check("operationInProgress", .authorisation, { $0.ask(.capture) }) { $0.ask(.void) }
        check("operationInProgress", .authorisation, { $0.ask(.capture) }) { $0.ask(.capture) }
        check("authorisationExpired", .authorisation, { $0.time = $0.time + .seconds(30 * 86_400) }) {
            $0.ask(.capture)
        }
        check("authorisationExpired", .authorisation, { $0.time = $0.time + .seconds(30 * 86_400) }) { $0.ask(.void) }
        check("amountAboveRefundable") { $0.ask(.refund, Self.whole + 1) }
        check("amountAboveRefundable", .sale, { $0.done(.refund, part) }) { $0.ask(.refund, Self.whole - part + 1) }
        check("nothingLeft", .sale, { $0.done(.refund) }) { $0.ask(.refund, 1) }
        check("nothingLeft", .sale, { $0.done(.void) }) { $0.ask(.refund, 1) }
        check("nothingLeft", .sale, { $0.done(.void) }) { $0.ask(.void) }
        check("nothingLeft", .sale, { $0.done(.refund) }) { $0.ask(.void) }
        check("operationInProgress", .sale, { $0.ask(.refund, 1) }) { $0.ask(.refund, 1) }
        check("operationInProgress", .sale, { $0.ask(.void) }) { $0.ask(.refund, 1) }
        check("refundTooLate", .sale, { $0.time = $0.time + .seconds(335 * 86_400) }) { $0.ask(.refund, 1) }
        check("refundTooLate", .sale, { $0.time = $0.time + .seconds(335 * 86_400) }) { $0.ask(.void) }
    }

    @Test("waits for no charge: while that has no outcome it is rejected, and after a decline too")
    func uncharged() {
        let charge = Sample.charge()
        for (outcome, reason) in [
            (SendOutcome.unknown(reason: "timeout"), "chargeInProgress"),
            (.answered(PaymentStory.answer(.declined(.issuerDeclined), .charge(charge))), "paymentNotCharged"),
        ] {
            var story = PaymentStory()
            story.order = OrderMachine(order: Sample.order, policy: ChargingPolicy())
            story.take(.charge(charge))
            story.take(.operation(charge.operation, .due(.ready)))
            story.take(.operation(charge.operation, .sent(attempt: 1, outcome)))
            story.ask(.refund)
            #expect(story.actions.facts == ["rejected: \(reason)"])
        }
    }

    @Test("an unknown or conflicting one is in the way of the next until it has an end")
    func live() {
        for outcome in [
            SendOutcome.unknown(reason: "timeout"),
            .answered(AcquirerAnswer(.accepted, result: Sample.result(), echoed: EchoedFields(amount: 7))),
        ] {
            var story = PaymentStory()
            story.ask(.refund, 100)
            story.fire(at: story.time)
            story.sent(outcome)
            #expect(story.phase.isLive)
            story.ask(.refund, 100)
            #expect(story.actions.facts == ["rejected: operationInProgress"])
        }
    }

    // Failure scenario 38.
    @Test("gives back part after part, and never more than was taken")
    func parts() {
        var story = PaymentStory()
        var left = Self.whole
        for amount in [Int64(1), 12_000, 344] {
            #expect(story.order.balance(of: PaymentStory.payment)?.refundable == left)
            story.done(.refund, amount)
            left -= amount
        }
        #expect(left == 0 && story.order.balance(of: PaymentStory.payment)?.refunded == Self.whole)
        story.ask(.refund, 1)
        #expect(story.actions.facts == ["rejected: nothingLeft"])
    }

    @Test("a refund that failed takes nothing of what is left")
    func failedRefund() {
        var story = PaymentStory()
        story.ask(.refund)
        story.complete(.failed(.refused))
        #expect(story.facts.last == "refund failed")
        story.done(.refund)
        #expect(story.facts.last == "refund succeeded")
    }

    @Test("a capture that was voided can be followed by another capture, and refunds are of that one")
    func captureAgain() {
        var story = PaymentStory(.authorisation)
        story.done(.capture, 5_000)
        story.ask(.void)
        #expect(story.last.subject.followUp?.target == .capture && story.last.subject.amount.minorUnits == 5_000)
        story.complete()
        story.done(.capture, 6_000)
        story.ask(.refund, 6_001)
        #expect(story.actions.facts == ["rejected: amountAboveRefundable"])
        story.ask(.refund, 6_000)
        let capture = story.order.followUps[2].subject
        #expect(story.last.subject.followUp?.original == capture.reference)
        #expect(story.last.subject.followUp?.originalSerial == "2")
    }
}
