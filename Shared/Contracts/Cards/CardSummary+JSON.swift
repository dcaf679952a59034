import OrchardJSON

extension CardSummary: ContractValue {
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (network, lastFour, paymentData): (CardNetwork?, String?, PaymentDataType?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "lastFour": lastFour = try reader.string(upTo: 4)
            case "network": network = try reader.word()
            case "paymentData": paymentData = try reader.word()
            default: try reader.skip()
            }
        }
        let summary = CardSummary(
            network: try reader.required(network, "network"), lastFour: try reader.required(lastFour, "lastFour"),
            paymentData: try reader.required(paymentData, "paymentData"))
        guard let summary else { throw reader.error(.value, "lastFour is four digits") }
        self = summary
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("lastFour", lastFour)
        object.member("network", network.rawValue)
        object.member("paymentData", paymentData.rawValue)
    }
}
