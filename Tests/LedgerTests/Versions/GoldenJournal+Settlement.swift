import Contracts
import LedgerFixtures

extension GoldenJournal {
    /// What acquirer and bank tell of a paid order and of no order, also such that contradicts.
    static func settlement(of history: History, _ payment: PaymentID, amount: Money) -> [Fact] {
        let units = amount.minorUnits
        let sale = history.row(payment, amount: units, fee: 65)
        let stranger = history.row(nil, serial: "q9", amount: 500, fee: 3)
        let rows = [
            sale, stranger, history.row(payment, .refund, serial: "q2", amount: 900, fee: -5),
            history.row(payment, serial: "q3", amount: 1, fee: 0, net: 0),
            // The same number in the next day's file; other content under a number; a payment that nobody knows.
            history.row(payment, amount: units, fee: 65, on: "2023-11-22"), history.row(payment, amount: 7),
            history.row(Shop.paymentID(250), serial: "q4", amount: 4),
        ]
        let explained = DifferenceExplained(
            day: stranger.day, difference: DifferenceID(theirs: stranger.id, on: stranger.day), kind: .onlyTheirs,
            amount: stranger.amount, reason: "the till's own terminal", by: "li.wei")
        return rows.map { .settlementRecorded($0) }
            + [
                .settlementFileRecorded(history.file([sale, stranger], disputes: 2)),
                .disputeOpened(history.dispute(payment, amount: units, net: -units)),
                .disputeOpened(history.dispute(nil, serial: "q9", amount: 500, net: 0)),
            ]
            + [
                explained.map { .differenceExplained($0) }, history.payOut(11_332),
                history.payOut(11_332, "b-1", on: "2023-11-23"), history.payOut(-12, "b-2"),
            ].compactMap(\.self)
    }
}
