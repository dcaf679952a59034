import OrchardCrypto
import OrchardJSON

extension RouteReference: ContractValue {
    /// Reads `{"digest": "32 hex digits", "id": "unionpay-1"}`.
    public init(json reader: inout JSONReader) throws(JSONError) {
        var (id, digest): (String?, [UInt8]?)
        try reader.object { reader, name throws(JSONError) in
            switch name {
            case "digest": digest = try reader.hex(bytes: Self.digestSize)
            case "id":
                let text = try reader.string(upTo: AcquirerRoute.maximumIDSize)
                guard AcquirerRoute.isID(text) else { throw reader.error(.value, "this is no route's id") }
                id = text
            default: try reader.skip()
            }
        }
        self.init(id: try reader.required(id, "id"), digest: try reader.required(digest, "digest"))
    }

    public func write(to object: inout JSONObjectWriter) {
        object.member("digest", Hex.encode(digest))
        object.member("id", id)
    }
}
