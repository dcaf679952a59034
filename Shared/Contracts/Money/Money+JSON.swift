import OrchardJSON

extension Money: ContractValue {
    /// `{"currency":"CNY","minorUnits":1234}`
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (currency, units): (Currency?, Int64?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "currency": currency = try reader.currency()
            case "minorUnits": units = try reader.int64()
            default: try reader.skip()
            }
        }
        self.init(
            minorUnits: try reader.required(units, "minorUnits"), currency: try reader.required(currency, "currency"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("currency", currency.code)
        object.member("minorUnits", minorUnits)
    }
}
