import Contracts

/// A row of an acquirer's settlement file, whatever its form: a transaction that it did.
public struct SettlementRow: Hashable, Sendable {
    /// Where it stands in the file, from 1.
    public let line: Int
    public let kind: OperationKind
    /// The acquirer's number of it (UnionPay `queryId`), once in a file.
    public let serial: String
    /// The number that a dispute names it by (UnionPay: time and trace number), where that is another one.
    public let trace: String
    /// Our number of it (UnionPay `orderId`).
    public let orderNumber: String
    /// What the row repeats of our reserved field: its beginning, or nothing.
    public let reserved: String
    /// More than zero.
    public let amount: Money
    /// In minor units: positive when the acquirer keeps it, negative when it gives it back.
    public let fee: Int64
    /// What the acquirer owes for it, in minor units; negative when the merchant owes it.
    public let net: Int64

    public init(
        line: Int, kind: OperationKind, serial: String, trace: String, orderNumber: String, reserved: String,
        amount: Money, fee: Int64, net: Int64
    ) {
        (self.line, self.kind, self.serial, self.trace) = (line, kind, serial, trace)
        (self.orderNumber, self.reserved) = (orderNumber, reserved)
        (self.amount, self.fee, self.net) = (amount, fee, net)
    }

    /// Whether it took money of a card; else it gave money back.
    public var takesMoney: Bool { kind == .sale || kind == .capture }

    /// What the row proves about the operation of ours under its number: that it was done.
    ///
    /// - Parameter reserved: the operation's reserved field; a row holds the beginning of it at most.
    public func answer(
        of reference: AcquirerReference, reserved: String, settledOn date: SettlementDate
    ) -> AcquirerAnswer {
        let isEchoed = self.reserved.utf8.count >= 32 && reserved.hasPrefix(self.reserved)
        return AcquirerAnswer(
            .succeeded(remark: nil),
            result: AcquirerResult(
                reference: reference, code: Self.code, serial: serial,
                settlementDate: date.description.filter { $0 != "-" }.suffix(4).description),
            echoed: EchoedFields(
                reserved: isEchoed ? reserved : nil, amount: amount.minorUnits, currency: amount.currency.numeric))
    }

    /// Stands for a response code where a file told the result.
    public static let code = "settled"
}

/// A dispute in an acquirer's settlement file.
public struct SettlementDispute: Hashable, Sendable {
    /// Where it stands in its file, from 1.
    public let line: Int
    /// The ``SettlementRow/trace`` of the disputed transaction, once in a file with the code.
    public let trace: String
    public let amount: Money
    public let code: String

    public init(line: Int, trace: String, amount: Money, code: String) {
        (self.line, self.trace, self.amount, self.code) = (line, trace, amount, code)
    }
}
