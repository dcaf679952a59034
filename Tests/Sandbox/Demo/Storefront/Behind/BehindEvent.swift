import Contracts
import OrchardJSON

/// One thing that happened behind a payment, as `GET /api/behind` tells it. It has no data of a card and none of a
/// person.
struct BehindEvent: Sendable {
    /// Who did it, in the order of a payment's way.
    enum Program: String, Sendable, CaseIterable {
        case tokenIngest = "token-ingest"
        case chargeGateway = "charge-gateway"
        case orderLedger = "order-ledger"
        case shop
    }

    let program: Program
    /// What it is: `payment.succeeded`, `charge.requested`, `entries.booked`, `order.paid` …
    let kind: String
    /// A record on a topic, rows of the books, or a message to the shop.
    let source: String
    let order: OrderID?
    let payment: PaymentID?
    let time: Timestamp
    /// A sentence for a visitor.
    let text: String
    var data: JSONValue = .object([JSONMember]())

    /// Decides between events of the same time: the way of a payment, and its contact before its command.
    var rank: Int {
        2 * (Program.allCases.firstIndex(of: program) ?? 0) + (kind == "contact.received" ? 0 : 1)
    }

    var json: JSONValue {
        var members = [
            JSONMember("program", .string(program.rawValue)), JSONMember("kind", .string(kind)),
            JSONMember("source", .string(source)), JSONMember("time", .string(time.description)),
            JSONMember("text", .string(text)), JSONMember("data", data),
        ]
        if let order { members.append(JSONMember("order", .string(order.description))) }
        if let payment { members.append(JSONMember("payment", .string(payment.description))) }
        return .object(members)
    }
}
