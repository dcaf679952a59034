import Contracts
import OrchardJSON

/// Sentences about records, for a visitor.
enum BehindTexts {
    /// What a record on a topic says.
    ///
    /// - Parameters:
    ///   - kind: its type without prefix and version, as in `payment.succeeded`.
    ///   - data: its value.
    static func text(_ kind: String, _ data: JSONValue) -> String {
        let amount = amount(data) ?? "the amount"
        let reason = data["reason"]?.string ?? "no reason given"
        switch kind {
        case "order.opened": return "The shop opened the order. The books know its price: \(amount)."
        case "order.repriced":
            return "The customer chose something in the sheet. The price is \(amount) now, and there is a new ticket."
        case "order.closed": return "The order is closed unpaid (\(reason)). Nothing can pay it any more."
        case "command.rejected": return "What the shop asked for is not possible now (\(reason)). Nothing changed."
        case "contact.received": return "The customer's contact is in Kafka, sealed so that only order-ledger reads it."
        case "charge.requested":
            return
                "The token is genuine and fits the ticket. The card data are sealed so that only charge-gateway reads "
                + "them, and Kafka holds the command to charge."
        case "payment.rejected":
            return "A token was rejected at \(data["stage"]?.string ?? "a check") (\(reason)). No money moves."
        default: break
        }
        let parts = kind.split(separator: ".").map(String.init)
        guard parts.count == 2 else { return kind }
        return parts[0] == "payment" ? payment(parts[1], amount, reason) : followUp(parts[0], parts[1], amount, reason)
    }

    private static func payment(_ event: String, _ amount: String, _ reason: String) -> String {
        switch event {
        case "accepted":
            "The order is free. The payment of \(amount) has its number at the acquirer; now it is sent there, once."
        case "succeeded": "The acquirer took \(amount). The order is closed: no second payment can pay it."
        case "declined": "The acquirer declined it (\(reason)). No money moved; the order stays open."
        case "refused": "The gateway refused it (\(reason)). Nothing was sent to the acquirer."
        case "unknown": "The acquirer gave no answer. Nothing is sent twice: the gateway asks what became of it."
        case "notCharged": "The acquirer has no such payment: no money moved."
        case "conflicted": "The acquirer reports something else under our number. A person must look."
        case "lateSuccess": "\(amount) was taken although the payment had ended. It is given back."
        case "authorised": "\(amount) is held on the card."
        default: "payment \(event)"
        }
    }

    private static func followUp(_ operation: String, _ event: String, _ amount: String, _ reason: String) -> String {
        switch event {
        case "requested":
            operation == "cancel" || operation == "expire"
                ? "order-ledger asks the gateway to close the order (\(operation))."
                : "order-ledger signed a command to the gateway: \(operation)."
        case "accepted": "The payment allows the \(operation) of \(amount). Now it is sent to the acquirer, once."
        case "succeeded": "The acquirer did the \(operation) of \(amount)."
        case "failed": "The \(operation) of \(amount) was not done (\(reason))."
        case "unknown": "The acquirer gave no answer to the \(operation). The gateway asks what became of it."
        default: "\(operation) \(event)"
        }
    }

    /// An amount in the value, as in `99.50 CNY`.
    static func amount(_ data: JSONValue) -> String? {
        let money = data["amount"] ?? data["totals"]
        let units = money?["minorUnits"]?.integer ?? money?["total"]?.integer ?? money?["amount"]?.integer
        guard let units, let currency = money?["currency"]?.string.flatMap({ Currency($0) }) else { return nil }
        return Money(minorUnits: units, currency: currency).description
    }

    /// The members of a value that the page may show: nothing of the card, no ticket, nothing sealed.
    static func data(_ value: JSONValue) -> JSONValue {
        let shown = [
            "amount", "commandId", "kind", "operationId", "outcome", "queries", "reason", "revision", "shippingMethod",
            "stage", "target", "totals", "transition",
        ]
        return .object((value.members ?? []).filter { shown.contains($0.name) })
    }
}
