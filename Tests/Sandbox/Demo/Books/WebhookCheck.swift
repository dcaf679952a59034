import Contracts

/// Compares what the shops were told with the outcomes on the devices.
struct WebhookCheck {
    let results: [OrderPlay.Result]
    /// The ledger's orders.
    let orders: [OrderID: OrderEnd.State]
    let messages: [ShopInbox.Message]
    /// Requests that were not taken, by reason.
    var refusals: [String: Int] = [:]

    /// What a shop must be told once at least, and no other thing of an order.
    struct Expected: Hashable {
        let merchant: Int
        let type: String
        let order: OrderID
        let payment: PaymentID?
        let minorUnits: Int64?
        let reason: String?
    }

    /// Each order in its end, each declined payment.
    var expected: Set<Expected> {
        Set(
            results.flatMap { result -> [Expected] in
                let (order, merchant) = (result.played.order, result.played.script.merchant)
                var all = zip(result.played.payments, result.published).compactMap { payment, outcome -> Expected? in
                    switch outcome {
                    case .lateSuccess:
                        Expected(
                            merchant: merchant, type: "order.review", order: order, payment: payment, minorUnits: nil,
                            reason: "lateSuccess")
                    case .succeeded(let amount):
                        Expected(
                            merchant: merchant, type: "order.paid", order: order, payment: payment, minorUnits: amount,
                            reason: nil)
                    case .authorised(let amount):
                        Expected(
                            merchant: merchant, type: "order.authorised", order: order, payment: payment,
                            minorUnits: amount, reason: nil)
                    case .declined(let reason):
                        Expected(
                            merchant: merchant, type: "order.declined", order: order, payment: payment,
                            minorUnits: nil, reason: reason.rawValue)
                    case .refused, .rejected, .other, .undecided: nil
                    }
                }
                // The acquirer declined first what it took after all.
                if let payment = result.played.payments.first, result.published.contains(where: \.isLate) {
                    all.append(
                        Expected(
                            merchant: merchant, type: "order.declined", order: order, payment: payment, minorUnits: nil,
                            reason: DeclineReason.insufficientFunds.rawValue))
                }
                all += followUps(result, merchant)
                if let end = orders[order], end == .cancelled || end == .expired {
                    all.append(
                        Expected(
                            merchant: merchant, type: "order.closed", order: order, payment: nil, minorUnits: nil,
                            reason: nil))
                }
                return all
            })
    }

    /// What was captured, undone and given back.
    private func followUps(_ result: OrderPlay.Result, _ merchant: Int) -> [Expected] {
        let (order, script) = (result.played.order, result.played.script)
        var kept = script.isHeld ? script.totals.total : result.published.reduce(0) { $0 + $1.charged }
        return script.followUps.compactMap { step in
            let change = step.change(of: kept)
            let type: String? =
                switch step {
                case .capture, .finalise: "order.captured"
                case .refund, .twoRefunds, .refundRest, .givenBack, .voidAfterDay: "order.refunded"
                // After the sale's day all of it is given back instead.
                case .void: orders[order] == .voided ? "order.voided" : "order.refunded"
                case .refusedRefund: nil
                }
            kept += change
            return type.map {
                Expected(
                    merchant: merchant, type: $0, order: order, payment: result.played.payments.first,
                    minorUnits: abs(change), reason: nil)
            }
        }
    }

    /// What a shop may be told: of two refunds at once the ledger refuses one, or the gateway rejects it.
    private var possible: Set<OrderID> {
        Set(results.filter { $0.played.script.scenario == .twoRefunds }.map(\.played.order))
    }

    /// All differences; empty when each shop was told exactly what happened.
    var findings: [Finding] {
        let found = Dictionary(grouping: messages, by: \.content)
        var findings: [Finding] = []
        for one in expected where found[one] == nil {
            findings.append(Finding(order: one.order, book: "webhooks", text: "the shop was not told \(one.type)"))
        }
        for (content, copies) in found {
            guard let content, expected.contains(content) else {
                let message = copies[0]
                if message.type == "order.followUpFailed", message.order.map(possible.contains) == true { continue }
                findings.append(
                    Finding(
                        order: message.order, book: "webhooks",
                        text: "the shop was told \(message.type), which did not happen"))
                continue
            }
            if Set(copies.map(\.id)).count > 1 {
                findings.append(
                    Finding(order: content.order, book: "webhooks", text: "\(content.type) was told under several ids"))
            }
        }
        for (reason, count) in refusals {
            findings.append(Finding(book: "webhooks", text: "\(count) requests had \(reason)"))
        }
        return findings + misplaced()
    }

    /// Orders that were paid or closed before what came earlier.
    private func misplaced() -> [Finding] {
        Dictionary(grouping: messages) { $0.order }.compactMap { order, messages in
            let firsts = messages.map(\.type)
            guard let end = firsts.firstIndex(of: "order.paid"),
                let declined = firsts.firstIndex(of: "order.declined"), declined > end
            else { return nil }
            return Finding(order: order, book: "webhooks", text: "it was told paid before declined")
        }
    }

    /// For the report.
    var lines: [String] {
        let ids = Dictionary(grouping: messages, by: \.type).mapValues { Set($0.map(\.id)).count }
        let counts = ids.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        let copies = messages.count - Set(messages.map(\.id)).count
        return [
            "  \(counts): \(expected.count) expected, every signature verified",
            "  \(copies) came more than once; the first message of each shop was refused, and came again",
        ]
    }
}

extension ShopInbox.Message {
    private static let withAmount: Set = [
        "order.paid", "order.authorised", "order.captured", "order.voided", "order.refunded",
    ]

    /// What it tells; nil when it names no order.
    fileprivate var content: WebhookCheck.Expected? {
        order.map { order in
            WebhookCheck.Expected(
                merchant: merchant, type: type, order: order, payment: payment,
                minorUnits: Self.withAmount.contains(type) ? minorUnits : nil, reason: reason)
        }
    }
}
