import Contracts
import Ledger

extension History {
    /// The account of ``PaymentEvent/reference``.
    package static let account = "777290058110048"

    /// A settled day of that account.
    package func day(_ date: String = "2023-11-21") -> SettlementDay {
        SettlementDay(
            merchant: merchant, acquirer: "unionpay", account: Self.account,
            date: SettlementDate(date) ?? SettlementCalendar.unionPay.day(of: PaymentEvent.reference.time))
    }

    /// The row of a file for the charge of a payment; for a transaction that we do not know when `payment` is nil.
    package func row(
        _ payment: PaymentID? = Shop.paymentID(1), _ kind: OperationKind = .sale, operation: OperationID? = nil,
        serial: String = "q1", amount: Int64, fee: Int64 = 0, net: Int64? = nil, on date: String = "2023-11-21",
        currency: Currency = .cny
    ) -> SettlementRecorded {
        let settled = payment.map {
            SettledOperation(payment: $0, operation: operation ?? OperationID(chargeOf: $0, order: order))
        }
        return SettlementRecorded(
            order: settled == nil ? day(date).subject : order, day: day(date), operation: settled, kind: kind,
            serial: serial, orderNumber: "n-" + serial, amount: Money(minorUnits: amount, currency: currency), fee: fee,
            net: net ?? kind.gross(amount) - fee)
    }

    /// The file of a day with these rows.
    package func file(
        _ rows: [SettlementRecorded], disputes: Int64 = 0, on date: String = "2023-11-21"
    ) -> SettlementFileRecorded {
        let gross = rows.map { $0.kind.gross($0.amount.minorUnits) }
        return SettlementFileRecorded(
            day: day(date), digest: [UInt8](repeating: 5, count: 32), rows: Int64(rows.count), disputes: disputes,
            currency: .cny, taken: gross.filter { $0 > 0 }.reduce(0, +),
            returned: -gross.filter { $0 < 0 }.reduce(0, +),
            fees: rows.map(\.fee).reduce(0, +), net: rows.map(\.net).reduce(0, +))
    }

    package func dispute(
        _ payment: PaymentID? = Shop.paymentID(1), serial: String = "q1", amount: Int64, net: Int64,
        on date: String = "2023-11-21"
    ) -> DisputeOpened {
        let settled = payment.map {
            SettledOperation(payment: $0, operation: OperationID(chargeOf: $0, order: order))
        }
        return DisputeOpened(
            order: settled == nil ? day(date).subject : order, day: day(date), operation: settled, serial: serial,
            amount: Money(minorUnits: amount, currency: .cny), code: "E74", net: net)
    }

    package func payOut(_ amount: Int64, _ reference: String = "b-1", on date: String = "2023-11-22") -> Fact? {
        PayOutReceived(
            day: day(date), amount: Money(minorUnits: amount, currency: .cny), reference: reference
        ).map { .payOutReceived($0) }
    }
}
