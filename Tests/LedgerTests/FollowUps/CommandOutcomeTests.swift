import Contracts
import LedgerFixtures
import Testing

@testable import Ledger

@Suite("The outcome of a shop's command")
struct CommandOutcomeTests {
    private static let history = History()
    private static let command = CommandID(hash: [UInt8](repeating: 1, count: 32))
    private static let amount = Money(minorUnits: 10_900, currency: .cny)

    private static func state(_ facts: [Fact], _ charge: PaymentEvent = .succeeded) throws -> OrderState {
        let paid = history.payment(amount: amount, .accepted, charge)
        let book = PartitionBook.reading([history.offer(1, try Shop.totals())] + paid + facts).book
        return try #require(book.fold.orders[Shop.order])
    }

    private static func facts(
        _ kind: FollowUpKind, target: OperationKind? = nil, _ events: [FollowUpEvent]
    ) -> [Fact] {
        events.enumerated().map {
            history.followUp(kind, 1, target: target, transition: Int64($0 + 1), amount: amount, $1)
        }
    }

    @Test(
        "follows from the facts of what it caused",
        arguments: [
            ([], CommandOutcome.requested), ([.accepted], .inProgress),
            ([.accepted, .unknown], .unknown(reason: "noAnswer")),
            ([.accepted, .conflicted], .unknown(reason: "amountDiffers")), ([.accepted, .succeeded], .done),
            ([.accepted, .unknown, .succeeded], .done), ([.accepted, .failed], .failed(reason: "originalState")),
            ([.accepted, .failed, .succeeded], .done), ([.accepted, .conflicted, .resolvedDone], .done),
            ([.accepted, .conflicted, .resolvedNotDone], .failed(reason: "hotline")),
        ] as [([FollowUpEvent], CommandOutcome)])
    func refund(_ events: [FollowUpEvent], _ outcome: CommandOutcome) throws {
        let state = try Self.state(Self.facts(.refund, events))
        #expect(state.outcome(of: Self.command) == outcome)
        #expect(outcome.isFinal == ["done", "failed"].contains(outcome.word))
        #expect(state.outcome(of: CommandID(hash: [UInt8](repeating: 2, count: 32))) == .requested)
    }

    @Test("of a void that failed is that of the refund that follows")
    func fallback() throws {
        let failed = Self.facts(.void, target: .sale, [.accepted, .failed])
        let between = try Self.state(failed)
        #expect(between.outcome(of: Self.command) == .inProgress)
        let done = try Self.state(failed + Self.facts(.refund, [.accepted, .succeeded]))
        #expect(done.outcome(of: Self.command) == .done)
        #expect(done.operations(of: Self.command).map(\.kind) == [.void, .refund])
    }

    @Test("of a void of a hold that failed is final: nothing was taken that could be refunded")
    func hold() throws {
        let state = try Self.state(Self.facts(.void, target: .authorisation, [.accepted, .failed]), .authorised)
        #expect(state.outcome(of: Self.command) == .failed(reason: "originalState"))
    }

    @Test("is the gateway's refusal")
    func rejected() throws {
        let rejected = CommandRejected(
            order: Shop.order, merchant: Self.history.merchant, command: Self.command,
            commandType: CommandType.refund.rawValue, reason: .refundTooLate)
        #expect(
            try Self.state([.commandRejected(rejected)]).outcome(of: Self.command) == .rejected(reason: "refundTooLate")
        )
    }
}
