import OrchardJSON

extension ChargeRequested: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (order, payment, card): (OrderID?, PaymentID?, CardSummary?)
        var (ticket, sealedCard, signedAt): (String?, String?, Timestamp?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "card": card = try CardSummary(json: &reader)
            case "orderId": order = try reader.identifier()
            case "paymentId": payment = try reader.identifier()
            case "sealedCard": sealedCard = try reader.compactForm()
            case "signedAt": signedAt = try reader.timestamp()
            case "ticket": ticket = try reader.string()
            default: try reader.skip()
            }
        }
        self.init(
            order: try reader.required(order, "orderId"), payment: try reader.required(payment, "paymentId"),
            ticket: try reader.required(ticket, "ticket"), card: try reader.required(card, "card"),
            sealedCard: try reader.required(sealedCard, "sealedCard"),
            signedAt: try reader.required(signedAt, "signedAt"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.object("card") { card.write(to: &$0) }
        object.member("orderId", order.description)
        object.member("paymentId", payment.description)
        object.member("sealedCard", sealedCard)
        object.member("signedAt", signedAt.description)
        object.member("ticket", ticket)
    }
}
