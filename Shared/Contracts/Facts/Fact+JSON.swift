import OrchardJSON

extension Fact {
    /// Reads the fact that a record of the journal carries.
    ///
    /// - Parameters:
    ///   - type: the record's `ce_type`.
    ///   - value: the record's value.
    /// - Throws: ``JSONError``; code `unknown` for a type that this version does not know.
    public init(type: String, value: [UInt8]) throws(JSONError) {
        self = try JSONReader.read(value) { reader throws(JSONError) in
            switch type {
            case "orchard.order.opened.v1": return .orderOpened(try OfferFact(json: &reader))
            case "orchard.order.repriced.v1": return .orderRepriced(try OfferFact(json: &reader))
            case "orchard.order.closed.v1": return .orderClosed(try OrderClosed(json: &reader))
            case "orchard.command.rejected.v1": return .commandRejected(try CommandRejected(json: &reader))
            case PaymentEvent.resolvedType: return .payment(try PaymentFact(json: &reader, name: "resolved"))
            default:
                if let name = Self.paymentName(type) {
                    return .payment(try PaymentFact(json: &reader, name: name))
                }
                let parts = type.split(separator: ".")
                guard parts.count == 4, parts[0] == "orchard", parts[1] == "payment", parts[3] == "v1",
                    parts[2] != "resolved"
                else {
                    throw reader.error(.unknown, "no fact has this type")
                }
                return .payment(try PaymentFact(json: &reader, name: String(parts[2])))
            }
        }
    }

    /// The word of a payment's type that is written as we write it; nil where it takes a closer look.
    private static func paymentName(_ type: String) -> String? {
        let (prefix, suffix) = ("orchard.payment.", ".v1")
        guard type.hasPrefix(prefix), type.hasSuffix(suffix), type.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let name = type.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
        return name.contains(UInt8(ascii: ".")) || name.elementsEqual("resolved".utf8) ? nil : String(name)
    }

    /// The canonical text of the fact.
    public var json: [UInt8] {
        JSONWriter.object { object in
            switch self {
            case .orderOpened(let fact), .orderRepriced(let fact): fact.write(to: &object)
            case .orderClosed(let fact): fact.write(to: &object)
            case .payment(let fact): fact.write(to: &object)
            case .commandRejected(let fact): fact.write(to: &object)
            }
        }
    }
}
