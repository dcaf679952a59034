import Contracts
import KafkaBridge
import OrchardCrypto
import OrchardJSON

/// What a record of `orchard.charges.v1` asks for, as far as it can be read. Nothing in it is verified yet.
enum CommandReading: Sendable {
    case charge(ChargeRequested)
    /// A command to charge that cannot be read to its end, but names order, payment and ticket.
    case unreadableCharge(order: OrderID, payment: PaymentID, ticket: String, reason: String)
    case signed(SignedCommand)
    /// No command.
    case unreadable(reason: String)
    /// A type of our own programs that this version does not know: it waits for a newer version.
    case newer(reason: String)

    var order: OrderID? {
        switch self {
        case .charge(let command): command.order
        case .unreadableCharge(let order, _, _, _): order
        case .signed(let command): command.claims.order
        case .unreadable, .newer: nil
        }
    }

    var payment: PaymentID? {
        switch self {
        case .charge(let command): command.payment
        case .unreadableCharge(_, let payment, _, _): payment
        case .signed, .unreadable, .newer: nil
        }
    }

    /// Reads a record's headers and value.
    static func read(_ event: CloudEvent) -> CommandReading {
        guard CommandType(rawValue: event.type) != nil else { return unknown(event) }
        let reading = read(type: event.type, event.data)
        guard let order = reading.order, order != event.subject else { return reading }
        return .unreadable(reason: "ce_subject names another order than the command")
    }

    private static func unknown(_ event: CloudEvent) -> CommandReading {
        let type = OutsideText.printable(event.type, upTo: 100)
        guard EventType.isOurs(event.type),
            EventSource(rawValue: event.source).map({ EventSource.ofCommands.contains($0) }) == true
        else {
            return .unreadable(reason: "no command has the type \(type)")
        }
        return .newer(
            reason: "\(event.source) wrote the type \(type), which this version does not know: "
                + "the partition waits for a newer charge-gateway")
    }

    private static func read(type: String, _ value: [UInt8]) -> CommandReading {
        do {
            switch try Command(type: type, value: value) {
            case .charge(let command): return .charge(command)
            case .signed(let command): return .signed(command)
            }
        } catch {
            let place = error.path.isEmpty ? "" : "\(error.path): "
            let reason = "\(place)\(error.reason)"
            return type == ChargeRequested.type ? salvage(value, reason) : .unreadable(reason: reason)
        }
    }

    /// Reads order, payment and ticket of a damaged command, so that its device gets an outcome.
    private static func salvage(_ value: [UInt8], _ reason: String) -> CommandReading {
        guard let json = try? JSONValue(parsing: value),
            let order = json["orderId"]?.string.flatMap({ OrderID($0) }),
            let payment = json["paymentId"]?.string.flatMap({ PaymentID($0) }), let ticket = json["ticket"]?.string
        else { return .unreadable(reason: reason) }
        return .unreadableCharge(order: order, payment: payment, ticket: ticket, reason: reason)
    }
}
