import Contracts

extension Fact {
    /// The settled day that it belongs to; nil for a fact of an order alone.
    public var settlementDay: SettlementDay? {
        switch self {
        case .settlementFileRecorded(let fact): fact.day
        case .settlementRecorded(let fact): fact.day
        case .disputeOpened(let fact): fact.day
        case .differenceExplained(let fact): fact.day
        case .payOutReceived(let fact): fact.day
        case .orderOpened, .orderRepriced, .orderFinalised, .orderClosed, .payment, .commandRejected, .followUp: nil
        }
    }

    /// Our operation that a row or a dispute is about; nil where none is known, and for other facts.
    public var settledOperation: SettledOperation? {
        switch self {
        case .settlementRecorded(let fact): fact.operation
        case .disputeOpened(let fact): fact.operation
        default: nil
        }
    }

    /// Whether it belongs to a settled day or a pay-out, and to no order. Such facts stand alone: nothing before them
    /// matters to them but their own repetition.
    public var isOfNoOrder: Bool { settlementDay != nil && settledOperation == nil }
}

extension OrderState {
    /// Whether it is an order: a settled day and a pay-out have only settlement facts.
    var isOrder: Bool {
        settlements.isEmpty || !offers.isEmpty || !payments.isEmpty || !followUps.isEmpty || !parked.isEmpty
    }

    /// Whether the operation is one of this order's that the facts have told of.
    func knows(_ settled: SettledOperation) -> Bool {
        guard let payment = self[settled.payment] else { return false }
        return OperationID(chargeOf: payment.payment, order: id) == settled.operation
            || followUps.contains { $0.operation == settled.operation && $0.payment == settled.payment }
    }

    /// Applies a settlement fact that is not early.
    ///
    /// - Returns: the entry to make for it, if any.
    /// - Throws: before anything has changed.
    mutating func settle(_ event: JournalEvent) throws(FoldError) -> [Booking] {
        if let own = merchant, own != event.fact.merchant {
            throw FoldError(.merchantDiffers, "the fact names another merchant than the order's")
        }
        let bookings = try bookings(event.fact)
        // A fact that has waited comes after later ones.
        let isLate = settlements.last.map { $0.position > event.position } ?? false
        let next = isLate ? settlements.firstIndex { $0.position > event.position } : nil
        settlements.insert(event, at: next ?? settlements.endIndex)
        return bookings
    }

    private func bookings(_ fact: Fact) throws(FoldError) -> [Booking] {
        let payment = fact.settledOperation?.payment
        switch fact {
        case .settlementRecorded(let row):
            if let before = settlements.lazy.compactMap({ $0.fact.row }).first(where: { $0.isSameRow(as: row) }) {
                throw FoldError(
                    .settledBefore, "the row's serial number stood in the file of \(before.day.date) already")
            }
            guard SettlementPostings.canPost(net: row.net, fee: row.fee) else {
                throw FoldError(.amountTooLarge, "net and fee of the row cannot be booked")
            }
            guard row.net != 0 || row.fee != 0 else { return [] }
            let net = Money(minorUnits: row.net, currency: row.amount.currency)
            return payment == nil
                ? [Booking(.unallocatedSettlement, of: nil, .settled(net, fee: row.fee, of: .unallocatedReceipts))]
                : [Booking(.settlement, of: payment, .settled(net, fee: row.fee, of: .acquirerReceivable))]
        case .disputeOpened(let dispute):
            guard dispute.net != .min else { throw FoldError(.amountTooLarge, "the dispute cannot be booked") }
            guard dispute.net != 0 else { return [] }
            let net = Money(minorUnits: dispute.net, currency: dispute.amount.currency)
            return [Booking(.dispute, of: payment, .disputed(net))]
        case .payOutReceived(let payOut): return [Booking(.payOut, of: nil, .paidOut(payOut.amount))]
        default: return []
        }
    }
}

extension Fact {
    /// The row of a settlement file that it tells; nil for other facts.
    var row: SettlementRecorded? {
        if case .settlementRecorded(let row) = self { row } else { nil }
    }
}

extension SettlementRecorded {
    /// Whether another day's file had the same transaction of the acquirer. Rows of no order are kept apart by day.
    fileprivate func isSameRow(as other: Self) -> Bool {
        operation != nil && serial == other.serial && day.acquirer == other.day.acquirer
            && day.account == other.day.account
    }
}
