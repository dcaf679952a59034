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
                    case .succeeded(let amount):
                        Expected(
                            merchant: merchant, type: "order.paid", order: order, payment: payment, minorUnits: amount,
                            reason: nil)
                    case .declined(let reason):
                        Expected(
                            merchant: merchant, type: "order.declined", order: order, payment: payment,
                            minorUnits: nil, reason: reason.rawValue)
                    case .authorised, .refused, .rejected, .other, .undecided: nil
                    }
                }
                if let end = orders[order], end == .cancelled || end == .expired {
                    all.append(
                        Expected(
                            merchant: merchant, type: "order.closed", order: order, payment: nil, minorUnits: nil,
                            reason: nil))
                }
                return all
            })
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
    /// What it tells; nil when it names no order.
    fileprivate var content: WebhookCheck.Expected? {
        order.map { order in
            WebhookCheck.Expected(
                merchant: merchant, type: type, order: order, payment: payment,
                minorUnits: type == "order.paid" ? minorUnits : nil, reason: reason)
        }
    }
}
