import OrchardJSON

extension CancelRequested: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (command, order, merchant): (CommandID?, OrderID?, MerchantID?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "commandId": command = try reader.identifier()
            case "merchantId": merchant = try reader.identifier()
            case "orderId": order = try reader.identifier()
            default: try reader.skip()
            }
        }
        self.init(
            command: try reader.required(command, "commandId"), order: try reader.required(order, "orderId"),
            merchant: try reader.required(merchant, "merchantId"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("commandId", command.description)
        object.member("merchantId", merchant.description)
        object.member("orderId", order.description)
    }
}
