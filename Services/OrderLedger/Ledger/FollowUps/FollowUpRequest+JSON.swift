import Contracts
import OrchardJSON

extension FollowUpRequest {
    /// The longest reason in bytes.
    static let maximumReason = 200

    /// Reads the body of `POST /v1/orders/{id}/captures`, `/voids`, `/refunds` or `/finalise`; an empty one has no members.
    ///
    /// - Parameter currency: that of the order; the body may name it, and no other.
    public init(parsing bytes: [UInt8], _ kind: Kind, in currency: Currency) throws(JSONError) {
        self = try JSONReader.read(bytes.isEmpty ? Array("{}".utf8) : bytes) { reader throws(JSONError) in
            try FollowUpRequest(json: &reader, kind, in: currency)
        }
    }

    private init(json reader: inout JSONReader, _ kind: Kind, in currency: Currency) throws(JSONError) {
        var (amount, lines, payment, reason): (Int64?, [ReturnedLine]?, PaymentID?, String?)
        var final = FinalLines()
        try reader.object { reader, name throws(JSONError) in
            switch (name, kind) {
            case ("amount", .capture), ("amount", .refund): amount = try reader.positiveAmount(in: currency)
            case ("currency", .capture), ("currency", .refund), ("currency", .finalise):
                guard try reader.currency() == currency else {
                    throw reader.error(.value, "the order is in \(currency.code): no other currency is possible")
                }
            case ("lines", .refund): lines = try reader.returnedLines()
            case ("paymentId", _): payment = try reader.identifier()
            case ("reason", .refund): reason = try reader.columnText(upTo: Self.maximumReason)
            case (_, .finalise):
                guard try final.read(name, &reader, in: currency) else { throw reader.unknownMember() }
            default: throw reader.unknownMember()
            }
        }
        let content: Content
        switch (kind, lines) {
        case (.capture, _): content = .capture(amount)
        case (.void, _): content = .void
        case (.refund, nil): content = .refund(amount)
        case (.refund, let lines?):
            guard amount == nil else {
                throw reader.error(.value, "a refund names an amount or lines: the lines say what they cost")
            }
            content = .refundLines(lines)
        case (.finalise, _):
            _ = try reader.required(final.lines.first, "lines")
            content = .finalise(final)
        }
        self.init(content, payment: payment, reason: reason)
    }

    /// The canonical text, which ``init(parsing:_:in:)`` reads: two requests are the same when these bytes are.
    public func json(in currency: Currency) -> [UInt8] {
        JSONWriter.object { object in
            switch content {
            case .capture(let amount?), .refund(let amount?):
                object.member("amount", Money(minorUnits: amount, currency: currency).decimal)
            case .finalise(let final): final.write(to: &object, in: currency)
            case .refundLines(let lines):
                object.array("lines") { array in
                    for line in lines {
                        array.object { object in
                            object.member("line", line.line)
                            object.member("quantity", line.quantity)
                        }
                    }
                }
            case .capture(nil), .refund(nil), .void: break
            }
            object.member("paymentId", payment?.description)
            object.member("reason", reason)
            if case .finalise(let final) = content { final.writeShipping(to: &object, in: currency) }
        }
    }
}

extension JSONReader {
    /// Reads an amount above zero.
    fileprivate mutating func positiveAmount(in currency: Currency) throws(JSONError) -> Int64 {
        let amount = try amount(in: currency)
        guard amount > 0 else { throw error(.value, "an amount above zero is expected") }
        return amount
    }

    /// Reads lines of the order, each once.
    fileprivate mutating func returnedLines() throws(JSONError) -> [ReturnedLine] {
        let lines = try list(upTo: OfferRequest.maximumLines) { reader throws(JSONError) in
            var (line, quantity): (Int?, Int64?)
            try reader.object { reader, name throws(JSONError) in
                switch name {
                case "line": line = try reader.int(in: 0...(OfferRequest.maximumLines - 1))
                case "quantity": quantity = Int64(try reader.int(in: 1...1_000_000))
                default: throw reader.unknownMember()
                }
            }
            return ReturnedLine(
                try reader.required(line, "line"), quantity: try reader.required(quantity, "quantity"))
        }
        guard !lines.isEmpty, Set(lines.map(\.line)).count == lines.count else {
            throw error(.value, "lines of the order are expected, each once")
        }
        return lines
    }
}
