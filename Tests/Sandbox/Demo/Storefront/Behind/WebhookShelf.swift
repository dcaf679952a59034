import Contracts
import OrchardJSON
import OrchardServiceKit

/// Webhooks that the shop has received and verified, until the next look.
final class WebhookShelf: Sendable {
    /// Older ones are dropped when nobody looks.
    static let capacity = 1_000
    private let events = Locked<[BehindEvent]>([])

    func put(_ message: ShopInbox.Message) {
        let event = BehindEvent(
            program: .shop, kind: message.type, source: "webhook", order: message.order, payment: message.payment,
            time: .now, text: Self.text(message),
            data: ["webhookId": .string(message.id)])
        events.withLock { events in
            events.append(event)
            events.removeFirst(max(0, events.count - Self.capacity))
        }
    }

    /// All that has come since the last call.
    func take() -> [BehindEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    private static func text(_ message: ShopInbox.Message) -> String {
        let what =
            switch message.type {
            case "order.paid": "The order is paid: the goods can leave."
            case "order.declined": "A payment was declined."
            case "order.closed": "The order is closed unpaid: the goods are free again."
            case "order.refunded": "Money was given back."
            case "order.review", "order.followUpFailed": "A person must look."
            default: "It is booked."
            }
        return "The shop's own server got the webhook \(message.type), and its signature is right. \(what)"
    }
}
