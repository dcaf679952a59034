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
            serial: "782611211503220000018", amount: Samples.amount, code: "E74")
    }

    static let facts: [Fact] = [
        .settlementFileRecorded(file), .settlementRecorded(row(operation)), .settlementRecorded(row(nil)),
        .disputeOpened(dispute(operation)), .disputeOpened(dispute(nil)),
    ]
}
