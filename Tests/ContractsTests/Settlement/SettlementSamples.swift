@testable import Contracts

/// Values that the tests of settlement facts share.
enum SettlementSamples {
    static let day = SettlementDay(
        merchant: Samples.merchant, acquirer: "unionpay", account: "777290058110048",
        date: SettlementDate(Samples.time, utcOffset: 0))
    static let operation = SettledOperation(payment: Samples.payment, operation: Samples.operation)
    static let file = SettlementFileRecorded(
        day: day, digest: Samples.digest, rows: 3, disputes: 1, currency: .cny, taken: 20_000, returned: 500, fees: 117,
        net: 19_383)

    static func row(_ operation: SettledOperation?) -> SettlementRecorded {
        SettlementRecorded(
            order: operation == nil ? day.subject : Samples.order, day: day, operation: operation, kind: .sale,
            serial: "782611211503220000018", orderNumber: "a3f1c29e7b0d4f5c8e6a1b2c3d4e5f60", amount: Samples.amount,
            fee: 74, net: Samples.amount.minorUnits - 74)
    }

    static func dispute(_ operation: SettledOperation?) -> DisputeOpened {
        DisputeOpened(
            order: operation == nil ? day.subject : Samples.order, day: day, operation: operation,
            serial: "782611211503220000018", amount: Samples.amount, code: "E74",
            net: -Samples.amount.minorUnits)
    }

    static let explained = DifferenceExplained(
        day: day, difference: DifferenceID(ours: Samples.operation, on: day), kind: .onlyOurs,
        amount: Money(minorUnits: -Samples.amount.minorUnits, currency: .cny),
        reason: "UnionPay pays it on 26 November",
        by: "li.wei")
    static let payOut = PayOutReceived(
        day: day, amount: Money(minorUnits: 19_383, currency: .cny), reference: "ICBC-20261125-0001")

    static let facts: [Fact] =
        [explained.map { .differenceExplained($0) }, payOut.map { .payOutReceived($0) }].compactMap(\.self) + [
            .settlementFileRecorded(file), .settlementRecorded(row(operation)), .settlementRecorded(row(nil)),
            .disputeOpened(dispute(operation)), .disputeOpened(dispute(nil)),
        ]
}
