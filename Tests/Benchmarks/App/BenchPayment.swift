import Contracts

/// One order and its successful payment.
struct BenchPayment {
    static let merchant = MerchantID(hash: [UInt8](repeating: 7, count: 32))

    let facts: [Fact]

    init(_ index: Int, at time: Timestamp, _ partitions: Int32) throws {
        func hash(_ kind: UInt8) -> [UInt8] {
            var bytes = [kind] + [UInt8](repeating: 0, count: 31)
            for place in 0..<8 { bytes[1 + place] = UInt8(truncatingIfNeeded: index >> (8 * place)) }
            return bytes
        }
        // As order-ledger names them: by their time, here a thousand a second.
        let order = OrderID(time: time + .milliseconds(index), randomness: Array(hash(1)[..<10]))
        let payment = PaymentID(hash: hash(2))
        let reference = AcquirerReference(
            acquirer: "unionpay", account: "777290058110048", orderNumber: payment.description, time: time)
        guard
            let totals = OfferTotals(currency: .cny, subtotal: 10_000, discount: 500, shipping: 800, tax: 600),
            let card = CardSummary(network: .chinaUnionPay, lastFour: "0005", paymentData: .emv)
        else { throw BenchError("the example payment is invalid") }
        func fact(_ transition: Int64, _ event: PaymentEvent) -> Fact {
            .payment(
                PaymentFact(
                    order: order, merchant: Self.merchant, payment: payment,
                    operation: OperationID(chargeOf: payment, order: order), transition: transition,
                    revision: 1, amount: totals.amount, event: event))
        }
        facts = [
            .orderOpened(
                OfferFact(
                    order: order, merchant: Self.merchant, revision: 1, totals: totals, shippingMethod: "post",
                    linesDigest: hash(3), partitions: partitions)),
            fact(
                1,
                .accepted(card, RouteReference(id: "unionpay-1", digest: [UInt8](repeating: 4, count: 16)), reference)),
            fact(
                2,
                .succeeded(
                    AcquirerResult(reference: reference, code: "00", serial: "q1", settlementDate: "1121"),
                    sentAt: time, queries: 1)),
        ]
    }
}
