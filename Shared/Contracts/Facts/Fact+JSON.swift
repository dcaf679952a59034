import OrchardJSON

extension Fact {
    /// Reads the fact that a record of the journal carries.
    ///
    /// - Parameters:
    ///   - type: the record's `ce_type`.
    ///   - value: the record's value.
    /// - Throws: ``JSONError``; code `unknown` for a type that this version does not know.
    public init(type: String, value: [UInt8]) throws(JSONError) {
        guard let type = FactType(type) else { throw JSONError(.unknown, "no fact has this type") }
        self = try JSONReader.read(value) { reader throws(JSONError) in
            switch type {
            case .orderOpened: return .orderOpened(try OfferFact(json: &reader))
            case .orderRepriced: return .orderRepriced(try OfferFact(json: &reader))
            case .orderClosed: return .orderClosed(try OrderClosed(json: &reader))
            case .commandRejected: return .commandRejected(try CommandRejected(json: &reader))
            case .payment(let kind): return .payment(try PaymentFact(json: &reader, kind: kind))
            }
        }
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
