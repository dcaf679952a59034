import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("What may follow a payment")
struct FollowUpRulesTests {
    private static let history = History()
    private static let payment = Shop.paymentID(1)

    private static func money(_ units: Int64) -> Money { Money(minorUnits: units, currency: .cny) }

    /// The order of 109.00 after facts.
    private static func rules(_ facts: [Fact]) throws -> FollowUpRules {
        let book = PartitionBook.reading([history.offer(1, try Shop.totals())] + facts).book
        return FollowUpRules(try #require(book.fold.orders[Shop.order]))
    }

    private static func paid(_ events: PaymentEvent...) -> [Fact] {
        events.enumerated().map { history.fact(transition: Int64($0 + 1), amount: money(10_900), $1) }
    }

    private static let sale = paid(.accepted, .succeeded)
    private static let hold = paid(.accepted, .authorised)

    private static func followUps(
        _ kind: FollowUpKind, _ command: UInt8, target: OperationKind? = nil, _ amount: Int64,
        _ events: FollowUpEvent...
    ) -> [Fact] {
        events.enumerated().map {
            history.followUp(
                kind, command, target: target, transition: Int64($0 + 1), amount: money(amount), $1)
        }
    }

    private static func code(_ body: () throws -> some Any) throws -> FollowUpRefusal.Code? {
        do {
            _ = try body()
            return nil
        } catch let refusal as FollowUpRefusal {
            #expect(!refusal.reason.isEmpty)
            return refusal.code
        }
    }

    private typealias Code = FollowUpRefusal.Code

    /// A state of the order, and what is answered to a capture, a void and a refund of everything.
    private static let states: [(String, [Fact], capture: Code?, void: Code?, refund: Code?)] = [
        ("open", [], .orderUnpaid, .orderUnpaid, .orderUnpaid),
        ("declined", paid(.accepted, .declined), .orderUnpaid, .orderUnpaid, .orderUnpaid),
        ("unknown", paid(.accepted, .unknown), .orderUnpaid, .orderUnpaid, .orderUnpaid),
        ("a sale", sale, .notCapturable, nil, nil),
        ("held", hold, nil, nil, .paymentNotCharged),
        (
            "expired", hold + [history.fact(transition: 3, amount: money(10_900), .authorisationExpired)],
            .authorisationExpired, .authorisationExpired, .paymentNotCharged
        ),
        (
            "a hold that was voided",
            hold + followUps(.void, 1, target: .authorisation, 10_900, .accepted, .succeeded), .paymentVoided,
            .paymentVoided, .paymentVoided
        ),
        (
            "a sale that was voided", sale + followUps(.void, 1, target: .sale, 10_900, .accepted, .succeeded),
            .paymentVoided, .paymentVoided, .paymentVoided
        ),
        ("captured", hold + followUps(.capture, 1, 9_000, .accepted, .succeeded), .notCapturable, nil, nil),
        (
            "a capture in progress", hold + followUps(.capture, 1, 9_000, .accepted), .operationInProgress,
            .operationInProgress, .operationInProgress
        ),
        (
            "an unknown capture", hold + followUps(.capture, 1, 9_000, .accepted, .unknown), .operationInProgress,
            .operationInProgress, .operationInProgress
        ),
        ("a failed capture", hold + followUps(.capture, 1, 9_000, .accepted, .failed), nil, nil, .paymentNotCharged),
        (
            "a capture that was voided",
            hold + followUps(.capture, 1, 9_000, .accepted, .succeeded)
                + followUps(.void, 2, target: .capture, 9_000, .accepted, .succeeded), nil, nil, .paymentNotCharged
        ),
        ("refunded in part", sale + followUps(.refund, 1, 900, .accepted, .succeeded), .notCapturable, nil, nil),
        (
            "refunded", sale + followUps(.refund, 1, 10_900, .accepted, .succeeded), .notCapturable, .nothingLeft,
            .nothingLeft
        ),
        (
            "a refund without an outcome", sale + followUps(.refund, 1, 900, .accepted, .unknown), .operationInProgress,
            .operationInProgress, .operationInProgress
        ),
        (
            "a refund that contradicts", sale + followUps(.refund, 1, 900, .accepted, .conflicted),
            .operationInProgress,
            .operationInProgress, .operationInProgress
        ),
        ("a failed refund", sale + followUps(.refund, 1, 900, .accepted, .failed), .notCapturable, nil, nil),
    ]

    @Test("is decided by the state of the order", arguments: states.indices)
    func decided(_ index: Int) throws {
        let state = Self.states[index]
        let rules = try Self.rules(state.1)
        func code(_ content: FollowUpRequest.Content) throws -> Code? {
            try Self.code { try rules.decide(FollowUpRequest(content), nil) }
        }
        #expect(try code(.capture(nil)) == state.capture, "\(state.0)")
        #expect(try code(.void) == state.void, "\(state.0)")
        #expect(try code(.refund(nil)) == state.refund, "\(state.0)")
    }

    @Test("takes all that is held or left when the shop names no amount")
    func everything() throws {
        let hold = try Self.rules(Self.hold).decide(FollowUpRequest(.capture(nil)), nil)
        #expect(hold.amount == Self.money(10_900) && hold.kind == .capture && hold.payment == Self.payment)
        let rest = try Self.rules(Self.sale + Self.followUps(.refund, 1, 900, .accepted, .succeeded))
        #expect(try rest.decide(FollowUpRequest(.refund(nil)), nil).amount == Self.money(10_000))
        #expect(try rest.decide(FollowUpRequest(.void), nil).amount == nil)
    }

    @Test("takes at most 115 % of a hold, rounded down, and says the limit")
    func limit() throws {
        let rules = try Self.rules(Self.hold)
        #expect(try rules.capture(12_535, of: Self.payment) == Self.money(12_535))
        let refusal = #expect(throws: FollowUpRefusal.self) { try rules.capture(12_536, of: Self.payment) }
        #expect(refusal?.code == .amountAboveHold && refusal?.amounts["limit"] == Self.money(12_535))
        var random = SplitMix64(seed: 13)
        for _ in 1...2_000 {
            let hold = Int64.random(in: 1 ... .max, using: &random) >> Int64.random(in: 0...62, using: &random)
            let limit = FollowUpRules.captureLimit(of: max(1, hold))
            #expect(!PaymentAmounts.isAboveHold(limit, max(1, hold)))
            #expect(limit == .max || PaymentAmounts.isAboveHold(limit + 1, max(1, hold)))
        }
    }

    @Test("gives back no more than is left, and says how much that is")
    func refundable() throws {
        let rules = try Self.rules(Self.sale + Self.followUps(.refund, 1, 900, .accepted, .succeeded))
        #expect(try rules.refund(10_000, of: Self.payment) == Self.money(10_000))
        let refusal = #expect(throws: FollowUpRefusal.self) { try rules.refund(10_001, of: Self.payment) }
        #expect(refusal?.code == .amountAboveRefundable)
        #expect(refusal?.amounts["refundable"] == Self.money(10_000) && refusal?.amounts["refunded"] == Self.money(900))
    }

    @Test("may be about another payment than the one that paid: it must have moved money")
    func otherPayment() throws {
        let second = Shop.paymentID(2)
        let surplus = Self.history.payment(second, amount: Self.money(10_900), .accepted, .succeeded)
        let rules = try Self.rules(Self.sale + surplus)
        #expect(try rules.decide(FollowUpRequest(.refund(nil), payment: second), nil).payment == second)
        #expect(try Self.code { try rules.payment(Shop.paymentID(3)) } == .paymentNotCharged)
        for (event, code) in [(PaymentEvent.unknown, Code.paymentInProgress), (.declined, .paymentNotCharged)] {
            let other = Self.history.payment(second, amount: Self.money(10_900), .accepted, event)
            let rules = try Self.rules(other)
            #expect(try Self.code { try rules.payment(second) } == code)
        }
    }

    @Test("sets final lines once, for a pending total that is held, up to its limit")
    func finalise() throws {
        var request = Shop.request
        request.captureMode = .authorise
        let sold = try Offer(request, revision: 1)
        request.isTotalPending = true
        let pending = try Offer(request, revision: 1)
        func final(_ price: Int64) -> FollowUpRequest {
            FollowUpRequest(.finalise(FinalLines(lines: [OfferLine(label: "Ride", unitAmount: price)])))
        }
        let held = try Self.rules(Self.hold)
        let decision = try held.decide(final(5_000), SoldGoods(pending, newest: 1))
        // 50.00 − 5.00 + 8.00
        #expect(decision.kind == .capture && decision.amount == Self.money(5_300))
        #expect(decision.parts == decision.finalOffer?.totals && decision.finalOffer?.revision == 2)
        #expect(try Self.code { try held.decide(final(5_000), SoldGoods(sold, newest: 1)) } == .totalNotPending)
        #expect(try Self.code { try held.decide(final(12_235), SoldGoods(pending, newest: 1)) } == nil)
        #expect(try Self.code { try held.decide(final(12_236), SoldGoods(pending, newest: 1)) } == .amountAboveHold)
        let sale = try Self.rules(Self.sale)
        #expect(try Self.code { try sale.decide(final(5_000), SoldGoods(pending, newest: 1)) } == .notCapturable)
        let done = try Self.rules(Self.hold + [Self.history.finalised(2, try Shop.totals())])
        #expect(try Self.code { try done.decide(final(5_000), SoldGoods(pending, newest: 1)) } == .alreadyFinalised)
    }

    @Test("takes what the final lines cost when their own capture has failed", arguments: [true, false])
    func captureOfFinalLines(isFolded: Bool) throws {
        let final = try #require(OfferTotals(currency: .cny, subtotal: 6_000, discount: 0, shipping: 800, tax: 360))
        let rules =
            isFolded
            ? try Self.rules(Self.hold + [Self.history.finalised(2, final)])
            : FollowUpRules(try Self.rules(Self.hold).order, finalTotals: final)
        for amount in [nil, 7_160] as [Int64?] {
            let decision = try rules.decide(FollowUpRequest(.capture(amount)), nil)
            #expect(decision.amount == Self.money(7_160) && decision.parts == final)
        }
        let other = try rules.decide(FollowUpRequest(.capture(7_000)), nil)
        #expect(other.amount == Self.money(7_000) && other.parts == nil)
    }

    @Test("final lines are not those of a second hold")
    func captureOfAnotherHold() throws {
        let final = try #require(OfferTotals(currency: .cny, subtotal: 6_000, discount: 0, shipping: 800, tax: 360))
        let second = Shop.paymentID(2)
        let surplus = Self.history.payment(second, amount: Self.money(10_900), .accepted, .authorised)
        let rules = try Self.rules(Self.hold + surplus + [Self.history.finalised(2, final)])
        let decision = try rules.decide(FollowUpRequest(.capture(nil), payment: second), nil)
        #expect(decision.amount == Self.money(10_900) && decision.parts == nil)
        var request = Shop.request
        (request.captureMode, request.isTotalPending) = (.authorise, true)
        let lines = FinalLines(lines: [OfferLine(label: "Ride", unitAmount: 5_000)])
        let other = try Self.rules(Self.hold + surplus)
        let code = try Self.code {
            try other.decide(
                FollowUpRequest(.finalise(lines), payment: second), SoldGoods(Offer(request, revision: 1), newest: 1))
        }
        #expect(code == .notCapturable)
    }
}
