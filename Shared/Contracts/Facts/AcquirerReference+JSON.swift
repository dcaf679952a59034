import OrchardJSON

extension AcquirerReference: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (acquirer, account, orderNumber, time): (String?, String?, String?, Timestamp?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "account": account = try reader.string(upTo: 64)
            case "acquirer": acquirer = try reader.string(upTo: 64)
            case "orderNumber": orderNumber = try reader.string(upTo: 64)
            case "time": time = try reader.timestamp()
            default: try reader.skip()
            }
        }
        self.init(
            acquirer: try reader.required(acquirer, "acquirer"), account: try reader.required(account, "account"),
            orderNumber: try reader.required(orderNumber, "orderNumber"), time: try reader.required(time, "time"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("account", account)
        object.member("acquirer", acquirer)
        object.member("orderNumber", orderNumber)
        object.member("time", time.description)
    }
}
