@testable import Contracts

/// Values that the tests of follow-ups share.
enum FollowUpSamples {
    static let command = FollowUpCause.command(Samples.command)

    static let events: [FollowUpEvent] =
        [
            .accepted, .succeeded(Samples.result, sentAt: Samples.time, queries: 1),
            .failed(.originalState, Samples.result), .failed(.tooLate, nil), .unknown(reason: "no answer"),
            .conflicted(reason: "another amount"),
        ]
        + Resolution.Outcome.allCases.compactMap {
            Resolution($0, reason: "hotline, case 2", by: "li.wei").map { FollowUpEvent.resolved($0) }
        }

    static func fact(
        _ kind: FollowUpKind, _ event: FollowUpEvent, cause: FollowUpCause = command, parts: OfferTotals? = nil
    ) -> Fact {
        .followUp(
            FollowUpFact(
                order: Samples.order, merchant: Samples.merchant, payment: Samples.payment, kind: kind,
                target: kind == .void ? .capture : nil, cause: cause, transition: 2,
                amount: parts?.amount ?? Samples.amount,
                parts: parts, event: event))
    }

    static let facts: [Fact] =
        [.orderFinalised(Samples.offer(revision: 3))]
        + FollowUpKind.allCases.flatMap { kind in events.map { fact(kind, $0) } }
        + [
            fact(.refund, .accepted, cause: .lateSuccess(Samples.payment)),
            fact(.refund, .accepted, parts: Samples.offer().totals),
        ]

    static func requested(_ kind: FollowUpKind, parts: OfferTotals? = nil) -> FollowUpRequested {
        FollowUpRequested(
            kind, command: Samples.command, order: Samples.order, merchant: Samples.merchant, payment: Samples.payment,
            amount: kind == .void ? nil : parts?.amount ?? Samples.amount, parts: parts, requestedAt: Samples.time,
            partitions: 12)
    }
}
