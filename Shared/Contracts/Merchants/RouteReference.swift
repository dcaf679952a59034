import OrchardCrypto
import OrchardJSON

/// A route as tickets and operations name it: its id, and the account that it led to when the ticket was issued.
public struct RouteReference: Hashable, Sendable {
    /// ``AcquirerRoute/id``.
    public let id: String
    /// A hash of merchant, acquirer, account and environment of the route (``digestSize`` bytes).
    public let digest: [UInt8]

    /// The first 16 bytes of SHA-256, so that a ticket with many routes stays small. A second account with the digest
    /// of a given one costs 2^128 tries. It is no secret: a guessed account can be checked with it.
    public static let digestSize = 16

    /// - Parameter digest: ``digestSize`` bytes.
    public init(id: String, digest: [UInt8]) {
        precondition(AcquirerRoute.isID(id) && digest.count == Self.digestSize, "a route has an id and a digest")
        self.id = id
        self.digest = digest
    }

    /// A reference as a database has it; nil when somebody has damaged it.
    public init?(stored id: String, digest: [UInt8]) {
        guard AcquirerRoute.isID(id), digest.count == Self.digestSize else { return nil }
        self.init(id: id, digest: digest)
    }

    /// A route of a merchant as it is in the registry now.
    public init(_ route: AcquirerRoute, of merchant: MerchantID) {
        var fields = LengthPrefixed()
        fields.append(merchant)
        for text in ["route", route.acquirer, route.account, route.environment.rawValue] { fields.append(text) }
        self.init(id: route.id, digest: Array(SHA256.hash(fields.bytes).prefix(Self.digestSize)))
    }
}

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
