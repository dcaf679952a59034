import Contracts
import Ledger

/// Builds the facts of one order's story, and the records that carry them.
package struct History {
    package let order: OrderID
    package var merchant = MerchantID(hash: [UInt8](repeating: 7, count: 32))
    package var partitions = Shop.partitions

    package init(_ order: OrderID = Shop.order) {
        self.order = order
    }

    package func offer(_ revision: Int64, _ totals: OfferTotals) -> Fact {
        let fact = OfferFact(
            order: order, merchant: merchant, revision: revision, totals: totals, shippingMethod: "post",
            linesDigest: [UInt8](repeating: UInt8(revision), count: 32), partitions: partitions)
        return revision == 1 ? .orderOpened(fact) : .orderRepriced(fact)
    }

    /// The facts of one payment, transitions counted from 1.
    package func payment(
        _ payment: PaymentID = Shop.paymentID(1), revision: Int64 = 1, amount: Money, _ events: PaymentEvent...
    ) -> [Fact] {
        events.enumerated().map { index, event in
            fact(payment, transition: Int64(index + 1), revision: revision, amount: amount, event)
        }
    }

    package func fact(
        _ payment: PaymentID = Shop.paymentID(1), transition: Int64, revision: Int64 = 1, amount: Money,
        kind: OperationKind = .sale, _ event: PaymentEvent
    ) -> Fact {
        .payment(
            PaymentFact(
                order: order, merchant: merchant, payment: payment, kind: kind,
                operation: OperationID(chargeOf: payment, order: order), transition: transition,
                revision: revision, amount: amount, event: event))
    }

    /// One fact of a capture, void or refund.
    ///
    /// - Parameter command: the seed of the shop's command; nil for the refund of a late success.
    package func followUp(
        _ kind: FollowUpKind, _ command: UInt8? = 1, of payment: PaymentID = Shop.paymentID(1),
        target: OperationKind? = nil, transition: Int64, amount: Money, parts: OfferTotals? = nil,
        _ event: FollowUpEvent
    ) -> Fact {
        .followUp(
            FollowUpFact(
                order: order, merchant: merchant, payment: payment, kind: kind, target: target,
                cause: command.map { .command(CommandID(hash: [UInt8](repeating: $0, count: 32))) }
                    ?? .lateSuccess(payment),
                transition: transition, amount: amount, parts: parts, event: event))
    }

    /// The facts of one capture, void or refund, transitions counted from 1.
    package func followUps(
        _ kind: FollowUpKind, _ command: UInt8? = 1, of payment: PaymentID = Shop.paymentID(1),
        target: OperationKind? = nil, amount: Money, parts: OfferTotals? = nil, _ events: FollowUpEvent...
    ) -> [Fact] {
        events.enumerated().map { index, event in
            followUp(
                kind, command, of: payment, target: target, transition: Int64(index + 1), amount: amount, parts: parts,
                event)
        }
    }

    /// The final lines of an order whose total was pending.
    package func finalised(_ revision: Int64, _ totals: OfferTotals) -> Fact {
        .orderFinalised(
            OfferFact(
                order: order, merchant: merchant, revision: revision, totals: totals, shippingMethod: nil,
                linesDigest: [UInt8](repeating: UInt8(revision), count: 32), partitions: partitions))
    }

    package func closed(_ reason: OrderClosed.Reason) -> Fact {
        .orderClosed(OrderClosed(order: order, merchant: merchant, reason: reason))
    }

    package func commandRejected(_ seed: UInt8) -> Fact {
        .commandRejected(
            CommandRejected(
                order: order, merchant: merchant, command: CommandID(hash: [UInt8](repeating: seed, count: 32)),
                commandType: CommandType.cancel.rawValue, reason: .chargeInProgress))
    }
}

extension PaymentEvent {
    package static let reference = AcquirerReference(
        acquirer: "unionpay", account: "777290058110048", orderNumber: "0123456789abcdef",
        time: Timestamp(seconds: 1_700_000_000))
    package static let route = RouteReference(id: "unionpay-1", digest: [UInt8](repeating: 4, count: 16))
    package static let result = AcquirerResult(reference: reference, code: "00", serial: "q1", settlementDate: "1121")

    package static var accepted: PaymentEvent {
        CardSummary(network: .chinaUnionPay, lastFour: "0005", paymentData: .emv).map {
            .accepted($0, route, reference)
        }
            ?? .succeeded
    }
    package static let succeeded = PaymentEvent.succeeded(
        result, sentAt: Timestamp(seconds: 1_700_000_001), queries: 1)
    package static let declined = PaymentEvent.declined(.insufficientFunds, result)
    package static let unknown = PaymentEvent.unknown(reason: "noAnswer")
    package static let notCharged = PaymentEvent.notCharged(reason: "settlementFile")
    package static let conflicted = PaymentEvent.conflicted(reason: "amountDiffers")
    package static let lateSuccess = PaymentEvent.lateSuccess(result)
    package static var resolvedPaid: PaymentEvent { resolved(.paid) }
    package static var resolvedNotCharged: PaymentEvent { resolved(.notCharged) }
    private static func resolved(_ outcome: Resolution.Outcome) -> PaymentEvent {
        Resolution(outcome, reason: "hotline", by: "li.wei").map { .resolved($0) } ?? refused
    }
    package static let refused = PaymentEvent.refused(.orderBusy)
    package static let authorised = PaymentEvent.authorised(
        result, sentAt: Timestamp(seconds: 1_700_000_001), queries: 1, expiresAt: Timestamp(seconds: 1_702_592_000))
    package static let lateAuthorised = PaymentEvent.lateAuthorised(result)
}

extension FollowUpEvent {
    package static let result = AcquirerResult(
        reference: AcquirerReference(
            acquirer: "unionpay", account: "777290058110048", orderNumber: "fedcba9876543210",
            time: Timestamp(seconds: 1_700_000_050)), code: "00", serial: "q2", settlementDate: "1121")
    package static let succeeded = FollowUpEvent.succeeded(
        result, sentAt: Timestamp(seconds: 1_700_000_051), queries: 1)
    package static let failed = FollowUpEvent.failed(.originalState, result)
    package static let unknown = FollowUpEvent.unknown(reason: "noAnswer")
    package static let conflicted = FollowUpEvent.conflicted(reason: "amountDiffers")
    package static var resolvedDone: FollowUpEvent { resolved(.paid) }
    package static var resolvedNotDone: FollowUpEvent { resolved(.notCharged) }
    private static func resolved(_ outcome: Resolution.Outcome) -> FollowUpEvent {
        Resolution(outcome, reason: "hotline", by: "li.wei").map { .resolved($0) } ?? accepted
    }
}

extension Fact {
    /// The record that carries this fact at `offset`, from the program that tells such facts.
    ///
    /// - Parameter sequence: its number in that program's outbox.
    package func record(
        at offset: Int64, partition: Int32 = Shop.partition, time: Timestamp = Timestamp(seconds: 1_700_000_100),
        sequence: Int64 = 1
    ) -> JournalRecord {
        let event = CloudEvent(
            id: id, type: type, source: source.rawValue, time: time, subject: order,
            stream: CloudEvent.Position(stream: source.stream, sequence: sequence), data: json)
        return JournalRecord(
            position: JournalPosition(partition: partition, offset: offset), key: event.key,
            headers: event.headers.map { JournalRecord.Header(name: $0.name, value: Array($0.value.utf8)) },
            value: event.data)
    }
}

extension [Fact] {
    /// The records that carry the facts, one after the other, numbered as the outboxes number them: a fact that is told
    /// again has the number that it had.
    package func records(from offset: Int64 = 0, partition: Int32 = Shop.partition) -> [JournalRecord] {
        records(from: offset) { _ in partition }
    }

    /// The same with a partition for each fact.
    package func records(from offset: Int64 = 0, in partition: (Fact) -> Int32) -> [JournalRecord] {
        var last: [String: Int64] = [:]
        var numbers: [EventID: Int64] = [:]
        return enumerated().map { index, fact in
            let partition = partition(fact)
            let stream = "\(fact.source.stream) \(partition)"
            let number = numbers[fact.id] ?? last[stream, default: 0] + 1
            numbers[fact.id] = number
            last[stream] = Swift.max(number, last[stream, default: 0])
            return fact.record(at: offset + Int64(index), partition: partition, sequence: number)
        }
    }
}

extension PartitionBook {
    /// A book into which the facts were read one after the other, and the rows that they made.
    package static func reading(_ facts: [Fact], partition: Int32 = Shop.partition) -> (
        book: PartitionBook, rows: [JournalRow]
    ) {
        var book = PartitionBook(partition: partition)
        let rows = facts.records(partition: partition).compactMap { book.append($0) }
        return (book, rows)
    }
}
