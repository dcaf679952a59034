import OrchardCrypto

@testable import Contracts

/// One example of each type in the contract.
enum Samples {
    static let order = OrderID(time: Timestamp(seconds: 1_800_000_000), randomness: [UInt8](repeating: 1, count: 10))
    static let merchant = MerchantID(
        time: Timestamp(seconds: 1_700_000_000), randomness: [UInt8](repeating: 2, count: 10))
    static let command = CommandID(
        time: Timestamp(seconds: 1_800_000_001), randomness: [UInt8](repeating: 3, count: 10))
    static let payment = PaymentID(merchant: merchant, transactionID: "00ff")
    static let operation = OperationID(chargeOf: payment, order: order)
    static let amount = Money(minorUnits: 12_345, currency: .cny)
    static let digest = SHA256.hash(Array("lines".utf8))
    static let time = Timestamp(microseconds: 1_800_000_000_123_456)
    static let reference = AcquirerReference(
        acquirer: "unionpay", account: "777290058110048", orderNumber: payment.description,
        time: Timestamp(seconds: 1_800_000_000))
    static let result = AcquirerResult(
        reference: reference, code: "00", serial: "212345678901234567890", settlementDate: "1121")

    static let cancel = CloseRequested(command: command, order: order, merchant: merchant, partitions: 12)
    static let rejected = PaymentRejected(
        order: order, merchant: merchant, attempt: AttemptID(order: order, body: [1, 2]), stage: "signature",
        reason: "signatureWrong")
    static let route = RouteReference(id: "unionpay-1", digest: [UInt8](repeating: 4, count: 16))

    static let ticket = OrderTicket(
        order: order, merchant: merchant, revision: 2, amount: amount, networks: [.chinaUnionPay, .visa],
        routes: [TicketRoute(route, networks: [.emv: [.chinaUnionPay], .threeDSecure: [.visa]])],
        shippingMethod: "express", region: Region("CN"), allowsMissingApplicationData: true, language: .chinese,
        linesDigest: digest, partitions: 12, issuedAt: Timestamp(seconds: 1_800_000_000),
        expiresAt: Timestamp(seconds: 1_800_000_900))

    static func card() -> CardSummary {
        guard let card = CardSummary(network: .chinaUnionPay, lastFour: "0005", paymentData: .emv) else {
            preconditionFailure("the sample card is valid")
        }
        return card
    }

    static func offer(revision: Int64 = 1) -> OfferFact {
        guard let totals = OfferTotals(currency: .cny, subtotal: 12_000, discount: 655, shipping: 700, tax: 300) else {
            preconditionFailure("the sample totals add up")
        }
        return OfferFact(
            order: order, merchant: merchant, revision: revision, totals: totals, shippingMethod: "express",
            linesDigest: digest, partitions: 12)
    }

    static func charge() -> ChargeRequested {
        ChargeRequested(
            order: order, payment: payment, ticket: "a.b.c", card: card(), sealedCard: "a..b.c.d",
            signedAt: Timestamp(seconds: 1_800_000_000))
    }

    static func fact(_ event: PaymentEvent, transition: Int64 = 3) -> Fact {
        .payment(
            PaymentFact(
                order: order, merchant: merchant, payment: payment, operation: operation, transition: transition,
                revision: 2, amount: amount, event: event))
    }

    static let events: [PaymentEvent] = [
        .accepted(card(), route, reference), .refused(.orderBusy), .succeeded(result, sentAt: time, queries: 2),
        .succeeded(result, sentAt: nil, queries: 0), .declined(.insufficientFunds, result), .declined(.expired, nil),
        .unknown(reason: "no answer"), .notCharged(reason: "not in the settlement file"),
        .conflicted(reason: "other order"),
        .lateSuccess(result), .authorised(result, sentAt: time, queries: 1, expiresAt: time), .authorisationExpired,
        .lateAuthorised(result),
    ]

    static let resolutions = Resolution.Outcome.allCases.compactMap {
        Resolution($0, reason: "hotline, case 1", by: "li.wei").map { PaymentEvent.resolved($0) }
    }

    static let facts: [Fact] =
        [
            .orderOpened(offer()), .orderRepriced(offer(revision: 2)),
            .orderClosed(OrderClosed(order: order, merchant: merchant, reason: .expired)),
            .orderClosed(OrderClosed(order: order, merchant: merchant, reason: .cancelled, command: command)),
            .commandRejected(
                CommandRejected(
                    order: order, merchant: merchant, command: command, commandType: CommandType.cancel.rawValue,
                    reason: .chargeInProgress)),
        ] + (events + resolutions).map { fact($0) } + FollowUpSamples.facts + SettlementSamples.facts
}
