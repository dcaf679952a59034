import Contracts

/// A difference between our books and an acquirer's file.
public struct SettlementDifference: Hashable, Sendable {
    /// Stays the same however often the day is reconciled.
    public let id: DifferenceID
    public let kind: DifferenceKind
    /// Theirs less ours: what the acquirer settles more than we know of; negative when it settles less.
    public let amount: Money
    /// Since when the facts show it.
    public let since: Timestamp
    /// The order, where one is known.
    public let order: OrderID?
    public let payment: PaymentID?
    public let operation: OperationID?
    /// The acquirer's number of the transaction.
    public let serial: String?
    /// Our order number at the acquirer, as the row has it.
    public let orderNumber: String?
    /// Who explained it, and how; nil while it is open.
    public internal(set) var explanation: DifferenceExplained?

    init(
        row: SettlementRecorded, at time: Timestamp, kind: DifferenceKind, amount: Int64
    ) {
        self.init(
            id: DifferenceID(theirs: row.id, on: row.day), kind: kind,
            amount: Money(minorUnits: amount, currency: row.amount.currency), since: time,
            order: row.operation == nil ? nil : row.order, payment: row.operation?.payment,
            operation: row.operation?.operation, serial: row.serial, orderNumber: row.orderNumber)
    }

    init(ours: ExpectedSettlement, of order: OrderID, on day: SettlementDay, since: Timestamp) {
        self.init(
            id: DifferenceID(ours: ours.operation, on: day), kind: .onlyOurs,
            amount: Money(minorUnits: 0 &- ours.gross, currency: ours.amount.currency), since: since, order: order,
            payment: ours.payment, operation: ours.operation, serial: ours.serial, orderNumber: nil)
    }

    init(file: SettlementFileRecorded, since: Timestamp, amount: Int64) {
        self.init(
            id: DifferenceID(theirs: file.id, on: file.day), kind: .fileDiffers,
            amount: Money(minorUnits: amount, currency: file.currency), since: since, order: nil, payment: nil,
            operation: nil, serial: nil, orderNumber: nil)
    }

    private init(
        id: DifferenceID, kind: DifferenceKind, amount: Money, since: Timestamp, order: OrderID?, payment: PaymentID?,
        operation: OperationID?, serial: String?, orderNumber: String?
    ) {
        (self.id, self.kind, self.amount, self.since) = (id, kind, amount, since)
        (self.order, self.payment, self.operation) = (order, payment, operation)
        (self.serial, self.orderNumber) = (serial, orderNumber)
    }
}
